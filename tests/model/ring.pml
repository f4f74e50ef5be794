/* The memory orders of a ring's chunk, for spin: one writer commits events and recycles the chunk,
 * one reader copies it at the same time, and a kill may stop the program.
 *
 * The memory model is weaker than any supported processor's (roughly ARMv8, multi-copy atomic): a
 * store becomes visible later, in any order that its fences, its release and its location allow;
 * loads happen in any order that acquires allow. The code modelled:
 *
 *   writer  record/core/emission.cc begin_packet(), emission.h commit()
 *   reader  the lock protocol of skein/format.h, as in snapshot.cc's copy_packet()
 *
 * The chunk holds two events; an event of generation g is the value g. lock == 2 g, seq == g.
 * run.py checks it unchanged and with each weakening (-DNAME), in which spin must find an error.
 */
#define LOCK 0
#define CONTENT 1
#define SEQ 2
#define D0 3
#define D1 4
#define GENERATIONS 2

byte mem[5];

/* Stores that are not yet visible. A release fence begins a new group. An entry can become visible
 * if no earlier entry is for the same location or in an older group; a release store, if there is
 * no earlier entry at all. */
#define MOST 20
byte ploc[MOST], pval[MOST], pgrp[MOST];
bool prel[MOST], pending[MOST];
byte issued = 0, group = 0;
bool writer_done = false;

#define STORE(l, v, r) \
  atomic { ploc[issued] = l; pval[issued] = v; pgrp[issued] = group; prel[issued] = r; \
           pending[issued] = true; issued++ }
#define FENCE group++

#ifdef COMMIT_RELAXED
#define COMMIT_ORDER false
#else
#define COMMIT_ORDER true
#endif
#ifdef EVEN_RELAXED
#define EVEN_ORDER false
#else
#define EVEN_ORDER true
#endif

proctype writer() {
  byte g = 2;
  do
  :: g > GENERATIONS -> break
  :: else ->
#ifndef NO_ODD
     STORE(LOCK, 2 * g - 1, false);
#endif
#ifndef NO_FENCE_AFTER_ODD
     FENCE;
#endif
#ifdef NUMBER_BEFORE_EMPTY
     STORE(SEQ, g, false);
#endif
#ifndef NOT_EMPTIED
     STORE(CONTENT, 0, false);
#endif
#ifndef NO_FENCE_AFTER_EMPTY
     FENCE;
#endif
#ifndef NUMBER_BEFORE_EMPTY
     STORE(SEQ, g, false);
#endif
     STORE(LOCK, 2 * g, EVEN_ORDER);
#ifdef SIZE_BEFORE_EVENT
     STORE(CONTENT, 1, COMMIT_ORDER);
     STORE(D0, g, false);
#else
     STORE(D0, g, false);
     STORE(CONTENT, 1, COMMIT_ORDER);
#endif
     STORE(D1, g, false);
     STORE(CONTENT, 2, COMMIT_ORDER);
     g++
  od;
  writer_done = true
}

/* Makes any eligible store visible. */
proctype memory() {
  byte i, j;
  bool may;
  do
  :: atomic {
       i = 0;
       do
       :: i < issued && pending[i] -> break
       :: i < issued -> i++
       :: i >= issued -> break
       od;
       may = i < issued && pending[i];
       if
       :: may ->
          j = 0;
          do
          :: j >= i -> break
          :: j < i ->
             if
             :: pending[j] && (ploc[j] == ploc[i] || pgrp[j] < pgrp[i] || prel[i]) ->
                may = false
             :: else
             fi;
             j++
          od
       :: else
       fi;
       if
       :: may -> mem[ploc[i]] = pval[i]; pending[i] = false
       :: else
       fi;
       may = false; j = 0; i = 0
     }
  :: atomic { writer_done && !pending[0] ->
       i = 0;
       do
       :: i >= issued -> break
       :: i < issued && !pending[i] -> i++
       :: i < issued && pending[i] -> goto more
       od;
       break
     }
more: skip
  od
}

/* The reader's loads, and for each the loads that must precede it. */
#define L_LOCK 0
#define L_CONTENT 1
#define L_SEQ 2
#define L_D0 3
#define L_D1 4
#define L_AGAIN 5
bool loaded[6];
byte value[6];

#ifdef FIRST_LOCK_RELAXED
#define AFTER_LOCK true
#else
#define AFTER_LOCK loaded[L_LOCK]
#endif
#ifdef CONTENT_RELAXED
#define AFTER_CONTENT AFTER_LOCK
#else
#define AFTER_CONTENT (AFTER_LOCK && loaded[L_CONTENT])
#endif
#ifdef CONTENT_FROM_THE_COPY
#undef AFTER_CONTENT
#define AFTER_CONTENT AFTER_LOCK
#define BEFORE_CONTENT (AFTER_LOCK && loaded[L_D0] && loaded[L_D1])
#else
#define BEFORE_CONTENT AFTER_LOCK
#endif
#ifdef NO_FENCE_BEFORE_AGAIN
#define BEFORE_AGAIN AFTER_CONTENT
#else
#define BEFORE_AGAIN (loaded[L_SEQ] && loaded[L_D0] && loaded[L_D1] && loaded[L_CONTENT])
#endif

proctype reader() {
  byte before, before_lock;
  /* The events that are committed and visible before the copy begins. */
  atomic { before = mem[CONTENT]; before_lock = mem[LOCK] }
  do
  :: atomic { !loaded[L_LOCK] -> value[L_LOCK] = mem[LOCK]; loaded[L_LOCK] = true }
  :: atomic { !loaded[L_CONTENT] && BEFORE_CONTENT ->
       value[L_CONTENT] = mem[CONTENT]; loaded[L_CONTENT] = true }
  :: atomic { !loaded[L_SEQ] && AFTER_CONTENT -> value[L_SEQ] = mem[SEQ]; loaded[L_SEQ] = true }
  :: atomic { !loaded[L_D0] && AFTER_CONTENT -> value[L_D0] = mem[D0]; loaded[L_D0] = true }
  :: atomic { !loaded[L_D1] && AFTER_CONTENT -> value[L_D1] = mem[D1]; loaded[L_D1] = true }
  :: atomic { !loaded[L_AGAIN] && BEFORE_AGAIN ->
       value[L_AGAIN] = mem[LOCK]; loaded[L_AGAIN] = true }
  :: loaded[L_LOCK] && loaded[L_CONTENT] && loaded[L_SEQ] && loaded[L_D0] && loaded[L_D1] &&
     loaded[L_AGAIN] -> break
  od;
  bool good = true;
#ifndef ODD_IS_GOOD
  if
  :: value[L_LOCK] % 2 == 1 -> good = false
  :: else
  fi;
#endif
#ifndef NO_SECOND_LOOK
  if
  :: value[L_LOCK] != value[L_AGAIN] -> good = false
  :: else
  fi;
#endif
  if
  :: good ->
     assert(2 * value[L_SEQ] == value[L_LOCK]);
     assert(value[L_CONTENT] < 1 || value[L_D0] == value[L_SEQ]);
     assert(value[L_CONTENT] < 2 || value[L_D1] == value[L_SEQ]);
     /* No event that was visible before is missing. */
     assert(before_lock != value[L_LOCK] || value[L_CONTENT] >= before)
  :: else
  fi
}

/* A kill between any two instructions of the writer: all stores before it take effect, in program
 * order. A reader of the files after the kill ignores the lock. */
proctype kill_now() {
  byte left[5];
  byte i;
  atomic {
    left[LOCK] = mem[LOCK]; left[CONTENT] = mem[CONTENT]; left[SEQ] = mem[SEQ];
    left[D0] = mem[D0]; left[D1] = mem[D1];
    do
    :: i >= issued -> break
    :: i < issued && pending[i] -> left[ploc[i]] = pval[i]; i++
    :: i < issued && !pending[i] -> i++
    od;
    assert(left[CONTENT] < 1 || left[D0] == left[SEQ]);
    assert(left[CONTENT] < 2 || left[D1] == left[SEQ]);
  }
}

init {
  atomic {
    mem[LOCK] = 2; mem[CONTENT] = 2; mem[SEQ] = 1; mem[D0] = 1; mem[D1] = 1;
    run writer(); run memory(); run reader(); run kill_now()
  }
}
