#include "rt_conceal.h"

#include "rt_level.h"

enum { MASK = RT_CONCEAL_FRAMES - 1, BEND_FRAMES = 32, JOIN_FRAMES = 64 };
/* Times as shares of a second: lags of 2.5 to 10 ms, 5 ms that are compared, and the last one of it, 10 ms as loud and
 * 10 ms of fall. */
enum { SHORTEST_PER_SECOND = 400, LONGEST_PER_SECOND = 100, COMPARED_PER_SECOND = 200, LAST_PER_SECOND = 1000 };
enum { HELD_PER_SECOND = 100 };
/* The search looks at some of the lags by some of the frames first, 12 and 16 a millisecond, then around the best by
 * all. */
enum { LAGS_PER_SECOND = 12000, COMPARISONS_PER_SECOND = 16000 };
/* Less resembles nothing. */
static const float least_similarity = 0.2f;
/* 1 ms is a tenth of the lowest pitch: by its zero crossing alone it has some 6 % of the power. */
static const float ended_share = 0.03f;
/* Mean square of -50 dBov: nobody hears that it is missing. */
static const float quiet_mean_square = 1e-5f;

void rt_conceal_forget(struct rt_conceal *conceal) RT_NONBLOCKING {
  conceal->known = 0;
  conceal->lag = 0;
  conceal->is_apart = false;
}

void rt_conceal_break(struct rt_conceal *conceal) RT_NONBLOCKING {
  conceal->lag = 0;
}

static float before(const struct rt_conceal_past *past, uint32_t back) RT_NONBLOCKING;
static float before(const struct rt_conceal_past *past, uint32_t back) RT_NONBLOCKING {
  return past->frames[(past->end - back) & MASK];
}

static void keep(struct rt_conceal_past *past, float frame) RT_NONBLOCKING;
static void keep(struct rt_conceal_past *past, float frame) RT_NONBLOCKING {
  past->frames[past->end++ & MASK] = frame;
}

/** Frames that a search looks at. */
static uint32_t searched_frames(uint32_t sample_rate) RT_NONBLOCKING;
static uint32_t searched_frames(uint32_t sample_rate) RT_NONBLOCKING {
  return sample_rate / COMPARED_PER_SECOND + sample_rate / LONGEST_PER_SECOND;
}

static uint32_t at_least(uint32_t least, uint32_t value) RT_NONBLOCKING;
static uint32_t at_least(uint32_t least, uint32_t value) RT_NONBLOCKING {
  return value > least ? value : least;
}

/** How much the last 5 ms resemble those a lag before, -1...1; a louder past is no match, however well shaped. */
static float similarity(const struct rt_conceal_past *past, uint32_t lag, uint32_t compared,
                        uint32_t step) RT_NONBLOCKING;
static float similarity(const struct rt_conceal_past *past, uint32_t lag, uint32_t compared,
                        uint32_t step) RT_NONBLOCKING {
  float product = 0.0f, power = 1e-12f;
  for (uint32_t back = 1; back <= compared; back += step) {
    const float now = before(past, back), then = before(past, back + lag);
    product += now * then;
    power += now * now + then * then;
  }
  return 2.0f * product / power;
}

/** Whether anybody would hear that sound is missing: it is not quiet, and has not just ended, its last millisecond next
 *  to nothing of what was before. */
static bool is_heard(const struct rt_conceal_past *past, uint32_t compared, uint32_t last) RT_NONBLOCKING;
static bool is_heard(const struct rt_conceal_past *past, uint32_t compared, uint32_t last) RT_NONBLOCKING {
  float end = 0.0f, power = 0.0f;
  for (uint32_t back = 1; back <= compared; back++) {
    const float frame = before(past, back);
    power += frame * frame;
    if (back == last) end = power;
  }
  return power > quiet_mean_square * (float)compared && end * (float)compared >= power * (float)last * ended_share;
}

/** The lag at which what was played resembles itself most; 0: at none. */
static uint32_t best_lag(const struct rt_conceal_past *past, uint32_t sample_rate, uint32_t compared) RT_NONBLOCKING;
static uint32_t best_lag(const struct rt_conceal_past *past, uint32_t sample_rate, uint32_t compared) RT_NONBLOCKING {
  const uint32_t shortest = at_least(JOIN_FRAMES + 1, sample_rate / SHORTEST_PER_SECOND);
  const uint32_t longest = sample_rate / LONGEST_PER_SECOND;
  const uint32_t lag_step = at_least(1, sample_rate / LAGS_PER_SECOND);
  const uint32_t step = at_least(1, sample_rate / COMPARISONS_PER_SECOND);
  uint32_t coarse = shortest;
  float best = -1.0f;
  for (uint32_t lag = shortest; lag <= longest; lag += lag_step) {
    const float found = similarity(past, lag, compared, step);
    if (found <= best) continue;
    best = found;
    coarse = lag;
  }
  uint32_t fine = coarse;
  best = -1.0f;
  for (uint32_t lag = coarse - lag_step + 1; lag < coarse + lag_step; lag++) {
    const float found = lag < shortest || lag > longest ? -1.0f : similarity(past, lag, compared, 1);
    if (found <= best) continue;
    best = found;
    fine = lag;
  }
  return best < least_similarity ? 0 : fine;
}

/** A lag to begin with; 0: nothing is to be concealed, or nothing is fit for it. */
static uint32_t search(const struct rt_conceal *conceal, const struct rt_ring *ring, uint32_t sample_rate,
                       uint32_t *searches) RT_NONBLOCKING;
static uint32_t search(const struct rt_conceal *conceal, const struct rt_ring *ring, uint32_t sample_rate,
                       uint32_t *searches) RT_NONBLOCKING {
  struct rt_conceal_past *past = conceal->past;
  const uint32_t compared = sample_rate / COMPARED_PER_SECOND;
  const uint32_t needed = searched_frames(sample_rate);
  if (sample_rate / LONGEST_PER_SECOND <= JOIN_FRAMES || needed > RT_CONCEAL_FRAMES || *searches == 0) return 0;
  if (!conceal->is_apart) {
    if (needed > conceal->known) return 0;
    rt_ring_recall(ring, past->frames, needed);
    (void)rt_measure_clean(past->frames, needed);
    past->end = needed;
  }
  if (!is_heard(past, compared, sample_rate / LAST_PER_SECOND)) return 0;
  --*searches;
  return best_lag(past, sample_rate, compared);
}

/** The next concealed frame, before its level. */
static float next(struct rt_conceal_past *past, uint32_t lag) RT_NONBLOCKING;
static float next(struct rt_conceal_past *past, uint32_t lag) RT_NONBLOCKING {
  const float frame = before(past, lag);
  if (past->bent >= BEND_FRAMES) return frame;
  const float left = 1.0f - (float)++past->bent / BEND_FRAMES;
  return frame + past->bend * left;
}

/** How loud it is to be; 0: it is over. */
static float level(const struct rt_conceal_past *past, uint32_t sample_rate) RT_NONBLOCKING;
static float level(const struct rt_conceal_past *past, uint32_t sample_rate) RT_NONBLOCKING {
  const uint32_t held = sample_rate / HELD_PER_SECOND;
  if (past->concealed <= held) return 1.0f;
  return past->concealed < 2 * held ? 2.0f - (float)past->concealed / (float)held : 0.0f;
}

void rt_conceal_join(struct rt_conceal *conceal, float *frames, uint32_t frame_count,
                     uint32_t sample_rate) RT_NONBLOCKING {
  struct rt_conceal_past *past = conceal->past;
  uint32_t i = 0;
  for (; conceal->lag != 0 && i < frame_count; i++) {
    past->concealed++;
    const float old = next(past, conceal->lag) * level(past, sample_rate);
    const float at = (float)++past->joined / JOIN_FRAMES;
    frames[i] = old + (frames[i] - old) * at * at * (3.0f - 2.0f * at);
    keep(past, frames[i]);
    if (past->joined == JOIN_FRAMES) conceal->lag = 0;
  }
  const uint32_t left = frame_count - i;
  const uint32_t kept = left < RT_CONCEAL_FRAMES ? left : RT_CONCEAL_FRAMES;
  for (uint32_t frame = frame_count - kept; frame < frame_count; frame++) keep(past, frames[frame]);
  conceal->known += kept < RT_CONCEAL_FRAMES - conceal->known ? kept : RT_CONCEAL_FRAMES - conceal->known;
  if (conceal->lag == 0 && conceal->known >= searched_frames(sample_rate)) conceal->is_apart = false;
}

/** Begins, or begins again within the cross-fade back; false: nothing is fit for it. */
static bool begin(struct rt_conceal *conceal, const struct rt_ring *ring, uint32_t sample_rate,
                  uint32_t *searches) RT_NONBLOCKING;
static bool begin(struct rt_conceal *conceal, const struct rt_ring *ring, uint32_t sample_rate,
                  uint32_t *searches) RT_NONBLOCKING {
  struct rt_conceal_past *past = conceal->past;
  if (conceal->lag == 0) {
    conceal->lag = search(conceal, ring, sample_rate, searches);
    if (conceal->lag == 0) return false;
    conceal->is_apart = true;
    conceal->known = 0;
    past->concealed = 0;
  } else if (past->joined == 0) {
    return true;
  }
  /* After true sound it is as loud as that. */
  const uint32_t held = sample_rate / HELD_PER_SECOND;
  if (past->concealed > held) past->concealed = held;
  past->joined = 0;
  past->bent = 0;
  past->bend = before(past, 1) - before(past, 1 + conceal->lag);
  return true;
}

uint32_t rt_conceal_extend(struct rt_conceal *conceal, const struct rt_ring *ring, float *frames, uint32_t frame_count,
                           uint32_t sample_rate, bool may_begin, uint32_t *searches) RT_NONBLOCKING {
  if (conceal->lag == 0 && !may_begin) return 0;
  if (frame_count == 0 || !begin(conceal, ring, sample_rate, searches)) return 0;
  struct rt_conceal_past *past = conceal->past;
  for (uint32_t i = 0; i < frame_count; i++) {
    past->concealed++;
    const float loud = level(past, sample_rate);
    if (loud == 0.0f) {
      /* What was played is used up: a ring that stays dry is silent. */
      rt_conceal_forget(conceal);
      return i;
    }
    const float frame = next(past, conceal->lag);
    keep(past, frame);
    frames[i] = frame * loud;
  }
  return frame_count;
}
