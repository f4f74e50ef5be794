#ifdef SKEIN_SKEIN_H
#error C is not traced
#endif
int in_c(void);
int in_c(void) { return 1; }
