// libcurl, with its variadic functions in a form that Swift can call.
#pragma once
#include <curl/curl.h>
#include <sys/socket.h>

typedef size_t (*hr_curl_receiver)(char *bytes, size_t size, size_t count, void *owner);

static inline CURLcode hr_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode hr_curl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode hr_curl_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode hr_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode hr_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode hr_curl_set_receiver(CURL *easy, CURLoption option, hr_curl_receiver receiver) {
    return curl_easy_setopt(easy, option, receiver);
}
// What the kernel has taken is not on its way yet: with megabytes of it a slow upload looks finished, and then silent.
static int hr_curl_narrow(void *owner, curl_socket_t socket, curlsocktype purpose) {
    (void)owner, (void)purpose;
    int bytes = 64 << 10;
    setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    return CURL_SOCKOPT_OK;
}
static inline CURLcode hr_curl_send_little_ahead(CURL *easy) {
    return curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, hr_curl_narrow);
}
static inline long hr_curl_long(CURL *easy, CURLINFO info) {
    long value = 0;
    curl_easy_getinfo(easy, info, &value);
    return value;
}
static inline void *hr_curl_pointer(CURL *easy, CURLINFO info) {
    char *value = NULL;
    curl_easy_getinfo(easy, info, &value);
    return value;
}
// The socket interface of a multi handle: both callbacks get the owner.
static inline void hr_curl_set_watcher(
    CURLM *multi, void *owner, curl_socket_callback watch, curl_multi_timer_callback timer, long connections) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, owner);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, owner);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, connections);
}
static inline void hr_curl_set_closing(CURL *easy, void *owner, curl_closesocket_callback closing) {
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, closing);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, owner);
}
