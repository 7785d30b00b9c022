/* The main program of each chapter: `twins_CHAPTER NAME right|wrong` runs one twin. `all` in the place of a name runs
 * all that have the job's number of ranks, in the right form, with a barrier between them. */
#include "tests/twins/twin.h"

#include <stdio.h>
#include <string.h>

enum { kMostTwins = 128, kUsageStatus = 2 };

struct Twin {
  const char* name;
  int ranks;
  void (*body)(void);
};

int rank, size;
bool wrong;

static struct Twin twins[kMostTwins];
static int twin_count;

void twin_register(const char* name, int ranks, void (*body)(void)) {
  if (twin_count == kMostTwins) abort();
  twins[twin_count++] = (struct Twin){name, ranks, body};
}

#ifdef TWIN_FORTRAN
void enter_twins(void);
#endif

static int run_all(void) {
  int ran = 0;
  for (int i = 0; i < twin_count; ++i) {
    if (twins[i].ranks != size) continue;
    if (ran++ > 0) MPI_Barrier(MPI_COMM_WORLD);
    twins[i].body();
  }
  return ran;
}

static int run_one(const char* name) {
  for (int i = 0; i < twin_count; ++i) {
    if (strcmp(twins[i].name, name) != 0 || twins[i].ranks != size) continue;
    twins[i].body();
    return 1;
  }
  return 0;
}

int main(int argc, char** argv) {
  const bool known = argc == 3 && (strcmp(argv[2], "right") == 0 || strcmp(argv[2], "wrong") == 0);
  if (!known) {
    fprintf(stderr, "usage: %s NAME|all right|wrong\n", argv[0]);
    return kUsageStatus;
  }
  wrong = strcmp(argv[2], "wrong") == 0;
#ifdef TWIN_FORTRAN
  enter_twins();
#endif
#ifdef TWIN_THREADS
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, TWIN_THREADS, &provided);
  if (provided < TWIN_THREADS) MPI_Abort(MPI_COMM_WORLD, kUsageStatus);
#else
  MPI_Init(&argc, &argv);
#endif
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int ran = strcmp(argv[1], "all") == 0 ? run_all() : run_one(argv[1]);
  if (ran == 0) fprintf(stderr, "%s: no twin %s for %d ranks\n", argv[0], argv[1], size);
  MPI_Finalize();
  return ran == 0 ? kUsageStatus : 0;
}
