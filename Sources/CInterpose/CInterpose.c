#include "CInterpose.h"
