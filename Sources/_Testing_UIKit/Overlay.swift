/// Swift Testing looks for this module wherever a file imports both it and a module of the name UIKit; Apple's attaches images of views. There are
/// none here, so it is empty.
enum Overlay {}
