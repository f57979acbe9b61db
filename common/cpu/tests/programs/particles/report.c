/* Plain C, as the host's compiler takes it. */
#include "report.h"

#include <stdio.h>

static int total;

void report(const char* what, int wrong) {
  printf("%s: %d wrong\n", what, wrong);
  total += wrong;
}

int failures(void) { return total != 0; }
