/* Persistent messages: each start has its completion, and a peer that starts as often. */
#include "tests/twins/twin.h"

enum { kRounds = 3, kLarge = 1 << 18 };

static int large[kLarge], other[kLarge];

/* Both requests of an exchange with the only other rank. */
static void exchange_init(int* mine, int* theirs, MPI_Request* requests) {
  MPI_Send_init(mine, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(theirs, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
}

static void exchange_free(MPI_Request* requests) {
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

/* A receive is waited for, but was never started: the wait returns at once, and the message is lost. */
TWIN(receive_not_started, 2, missing, deadlock, "1") {
  int number = 0;
  MPI_Request request;
  if (rank == 0) {
    MPI_Ssend(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* fault */
    return;
  }
  MPI_Recv_init(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
  if (!wrong) MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}

/* One rank starts only the receive of an exchange. */
TWIN(send_not_started, 2, missing, deadlock, "1") {
  int mine = rank, theirs = 0;
  MPI_Request requests[2];
  exchange_init(&mine, &theirs, requests);
  const int first = wrong && rank == 1 ? 1 : 0;
  MPI_Startall(2 - first, requests + first); /* fault */
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  exchange_free(requests);
}

/* A started receive is not completed. */
TWIN(start_never_completed, 2, completion, misuse, "1") {
  int number = 0;
  MPI_Request request;
  if (rank == 0) {
    MPI_Send(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    return;
  }
  MPI_Recv_init(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
  MPI_Start(&request); /* fault */
  if (wrong) return;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}

/* One rank makes one round more than the other. */
TWIN(one_round_more, 2, extra, deadlock, "0|1") {
  int mine = rank, theirs = 0;
  MPI_Request requests[2];
  exchange_init(&mine, &theirs, requests);
  const int rounds = wrong && rank == 0 ? kRounds + 1 : kRounds;
  for (int round = 0; round < rounds; ++round) {
    MPI_Startall(2, requests); /* fault */
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  exchange_free(requests);
}

/* Both wait for their large send before they start to receive. */
TWIN(send_completed_before_receive, 2, order, deadlock, "0,1") {
  MPI_Request requests[2];
  MPI_Send_init(large, kLarge, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(other, kLarge, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
  if (!wrong) MPI_Start(&requests[1]);
  MPI_Start(&requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE); /* fault */
  if (wrong) MPI_Start(&requests[1]);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  exchange_free(requests);
}

/* The tag of one side changed between the two lists of requests. */
TWIN(tag_differs, 2, argument, deadlock, "0,1") {
  int number = 0;
  MPI_Request request;
  if (rank == 0)
    MPI_Ssend_init(&number, 1, MPI_INT, 1, wrong ? 2 : 1, MPI_COMM_WORLD, &request); /* fault */
  else
    MPI_Recv_init(&number, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request); /* fault */
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}

/* The receive has room for half of the message. */
TWIN(receive_too_short, 2, argument, mismatch, "0,1") {
  MPI_Request request;
  if (rank == 0)
    MPI_Send_init(large, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); /* fault */
  else
    MPI_Recv_init(large, wrong ? 4 : 8, MPI_INT, 0, 0, MPI_COMM_WORLD, &request); /* fault */
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}

/* The same requests, round after round. */
LEGAL(restarted, 2) {
  int mine = rank, theirs = 0;
  MPI_Request requests[2];
  exchange_init(&mine, &theirs, requests);
  for (int round = 0; round < kRounds; ++round) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  exchange_free(requests);
}

/* Waits for what was not started return at once. */
LEGAL(inactive_waits, 2) {
  int mine = rank, theirs = 0, flag = 0;
  MPI_Request requests[2];
  exchange_init(&mine, &theirs, requests);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  MPI_Start(&requests[1]);
  MPI_Start(&requests[0]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  exchange_free(requests);
}

/* A persistent send may meet an ordinary receive, and the other way round. */
LEGAL(meets_ordinary_calls, 2) {
  int number = 0;
  MPI_Request request;
  if (rank == 0) {
    MPI_Send_init(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    for (int round = 0; round < kRounds; ++round) {
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
  } else {
    for (int round = 0; round < kRounds; ++round)
      MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* A send is started again before its last round is complete. */
TWIN(started_again_while_active, 2, completion, misuse, "0") {
  int number = 0;
  MPI_Request request;
  if (rank == 1) {
    for (int round = 0; round < 2; ++round) MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  MPI_Send_init(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
  MPI_Start(&request); /* fault */
  if (!wrong) MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Start(&request); /* fault */
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}

/* A send that is freed while it is active completes all the same. */
LEGAL(freed_while_active, 2) {
  static int number;
  MPI_Request request;
  if (rank == 1) {
    MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  MPI_Send_init(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  MPI_Request_free(&request);
}

/* Requests that were made for nothing, and never freed. */
LEGAL(never_started, 2) {
  int mine = rank, theirs = 0;
  MPI_Request requests[2];
  exchange_init(&mine, &theirs, requests);
}
