#include "rt_conceal.h"

#include <string.h>

enum { MASK = RT_CONCEAL_FRAMES - 1, COMPARED_FRAMES = 240, BEND_FRAMES = 32, JOIN_FRAMES = 64 };
/* Lags and times as shares of a second: 2.5 and 10 ms; 10 ms as loud, and 10 ms of fall. */
enum { SHORTEST_PER_SECOND = 400, LONGEST_PER_SECOND = 100, HOLDS_PER_SECOND = 100 };
/* The search looks at each fourth lag by each third frame first, then around the best by all. */
enum { LAG_STEP = 4, FRAME_STEP = 3 };
static const float least_similarity = 0.2f;
/* 1 ms is a tenth of the lowest pitch: by its zero crossing alone it has some 6 % of the power. */
enum { LAST_FRAMES = 48 };
static const float ended_share = 0.03f;

void rt_conceal_forget(struct rt_conceal *conceal) RT_NONBLOCKING {
  conceal->known = 0;
  conceal->lag = 0;
}

void rt_conceal_break(struct rt_conceal *conceal) RT_NONBLOCKING {
  conceal->lag = 0;
}

static float past(const struct rt_conceal *conceal, uint32_t back) RT_NONBLOCKING;
static float past(const struct rt_conceal *conceal, uint32_t back) RT_NONBLOCKING {
  return conceal->frames[(conceal->end - back) & MASK];
}

static void keep(struct rt_conceal *conceal, float frame) RT_NONBLOCKING;
static void keep(struct rt_conceal *conceal, float frame) RT_NONBLOCKING {
  conceal->frames[conceal->end++ & MASK] = frame;
}

/** How much the last frames resemble those a lag before, -1...1; a louder past is no match, however well shaped. */
static float similarity(const struct rt_conceal *conceal, uint32_t lag, uint32_t step) RT_NONBLOCKING;
static float similarity(const struct rt_conceal *conceal, uint32_t lag, uint32_t step) RT_NONBLOCKING {
  float product = 0.0f, power = 1e-12f;
  for (uint32_t back = 1; back <= COMPARED_FRAMES; back += step) {
    const float now = past(conceal, back), before = past(conceal, back + lag);
    product += now * before;
    power += now * now + before * before;
  }
  return 2.0f * product / power;
}

/** Whether sound has just ended: its last millisecond is next to nothing of what was before. */
static bool has_ended(const struct rt_conceal *conceal) RT_NONBLOCKING;
static bool has_ended(const struct rt_conceal *conceal) RT_NONBLOCKING {
  float last = 0.0f, power = 0.0f;
  for (uint32_t back = 1; back <= COMPARED_FRAMES; back++) {
    const float frame = past(conceal, back);
    power += frame * frame;
    if (back == LAST_FRAMES) last = power;
  }
  return last * COMPARED_FRAMES < power * (LAST_FRAMES * ended_share);
}

/** The lag at which what was played resembles itself most; 0: at none. */
static uint32_t best_lag(const struct rt_conceal *conceal, uint32_t sample_rate) RT_NONBLOCKING;
static uint32_t best_lag(const struct rt_conceal *conceal, uint32_t sample_rate) RT_NONBLOCKING {
  const uint32_t shortest = sample_rate / SHORTEST_PER_SECOND;
  const uint32_t wanted = sample_rate / LONGEST_PER_SECOND;
  const uint32_t most = conceal->known < COMPARED_FRAMES ? 0 : conceal->known - COMPARED_FRAMES;
  const uint32_t longest = wanted < most ? wanted : most;
  if (shortest <= JOIN_FRAMES || longest < shortest || has_ended(conceal)) return 0;
  uint32_t coarse = shortest;
  float best = -1.0f;
  for (uint32_t lag = shortest; lag <= longest; lag += LAG_STEP) {
    const float found = similarity(conceal, lag, FRAME_STEP);
    if (found <= best) continue;
    best = found;
    coarse = lag;
  }
  uint32_t fine = coarse;
  best = -1.0f;
  for (uint32_t lag = coarse - LAG_STEP + 1; lag < coarse + LAG_STEP; lag++) {
    const float found = lag < shortest || lag > longest ? -1.0f : similarity(conceal, lag, 1);
    if (found <= best) continue;
    best = found;
    fine = lag;
  }
  return best < least_similarity ? 0 : fine;
}

/** The next frame that is made up, before its level. */
static float next(struct rt_conceal *conceal) RT_NONBLOCKING;
static float next(struct rt_conceal *conceal) RT_NONBLOCKING {
  const float frame = past(conceal, conceal->lag);
  if (conceal->bent >= BEND_FRAMES) return frame;
  const float left = 1.0f - (float)++conceal->bent / BEND_FRAMES;
  return frame + conceal->bend * left;
}

/** How loud it is to be; 0: it is over. */
static float level(const struct rt_conceal *conceal, uint32_t sample_rate) RT_NONBLOCKING;
static float level(const struct rt_conceal *conceal, uint32_t sample_rate) RT_NONBLOCKING {
  const uint32_t held = sample_rate / HOLDS_PER_SECOND;
  if (conceal->made <= held) return 1.0f;
  return conceal->made < 2 * held ? 2.0f - (float)conceal->made / (float)held : 0.0f;
}

void rt_conceal_follow(struct rt_conceal *conceal, float *frames, uint32_t frame_count,
                       uint32_t sample_rate) RT_NONBLOCKING {
  uint32_t i = 0;
  for (; conceal->lag != 0 && i < frame_count; i++) {
    conceal->made++;
    const float made = next(conceal) * level(conceal, sample_rate);
    const float at = (float)++conceal->joined / JOIN_FRAMES;
    frames[i] = made + (frames[i] - made) * at * at * (3.0f - 2.0f * at);
    keep(conceal, frames[i]);
    if (conceal->joined == JOIN_FRAMES) conceal->lag = 0;
  }
  const uint32_t left = frame_count - i;
  const uint32_t kept = left < RT_CONCEAL_FRAMES ? left : RT_CONCEAL_FRAMES;
  const uint32_t start = conceal->end & MASK;
  const uint32_t first = kept < RT_CONCEAL_FRAMES - start ? kept : RT_CONCEAL_FRAMES - start;
  const float *newest = frames + frame_count - kept;
  memcpy(conceal->frames + start, newest, first * sizeof(float));
  memcpy(conceal->frames, newest + first, (kept - first) * sizeof(float));
  conceal->end += kept;
  const uint32_t known = conceal->known + kept;
  conceal->known = known < RT_CONCEAL_FRAMES ? known : RT_CONCEAL_FRAMES;
}

/** Begins to make something up, or again within the way back; false: nothing that was played is fit for it. */
static bool begin(struct rt_conceal *conceal, uint32_t sample_rate, uint32_t *searches) RT_NONBLOCKING;
static bool begin(struct rt_conceal *conceal, uint32_t sample_rate, uint32_t *searches) RT_NONBLOCKING {
  if (conceal->lag == 0) {
    if (*searches == 0) return false;
    --*searches;
    conceal->lag = best_lag(conceal, sample_rate);
    conceal->made = 0;
    if (conceal->lag == 0) return false;
  } else if (conceal->joined == 0) {
    return true;
  }
  conceal->joined = 0;
  conceal->bent = 0;
  conceal->bend = past(conceal, 1) - past(conceal, 1 + conceal->lag);
  return true;
}

uint32_t rt_conceal_make(struct rt_conceal *conceal, float *frames, uint32_t frame_count, uint32_t sample_rate,
                         bool may_begin, uint32_t *searches) RT_NONBLOCKING {
  if (conceal->lag == 0 && !may_begin) return 0;
  if (frame_count == 0 || !begin(conceal, sample_rate, searches)) return 0;
  for (uint32_t i = 0; i < frame_count; i++) {
    conceal->made++;
    const float loud = level(conceal, sample_rate);
    if (loud == 0.0f) {
      /* What was played is used up: a ring that stays dry is silent. */
      rt_conceal_forget(conceal);
      return i;
    }
    const float frame = next(conceal);
    keep(conceal, frame);
    frames[i] = frame * loud;
  }
  return frame_count;
}
