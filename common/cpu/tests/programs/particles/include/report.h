#ifndef REPORT_H
#define REPORT_H
#ifdef __cplusplus
extern "C" {
#endif
void report(const char* what, int wrong);
int failures(void);
#ifdef __cplusplus
}
#endif
#endif
