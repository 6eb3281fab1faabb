/*
 * What Node cannot do, in one small file. See docs/threat-model.md: the host half is part of the
 * trusted computing base; the guest half runs inside the lab and is not.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- host section: sealed memfd, namespaces, credentials, parent-death signal, exec ---- */

/* ---- guest section: init, reseed, clock, limits, pseudo-terminals ---- */

/* ---- dispatch ---- */

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: drydock-native MODE ...\n");
    return 2;
  }
  fprintf(stderr, "drydock-native: unknown mode '%s'\n", argv[1]);
  return 2;
}
