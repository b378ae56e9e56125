#include "comlink_aec3.h"

#include <modules/audio_processing/include/audio_processing.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

struct comlink_aec3 {
  rtc::scoped_refptr<webrtc::AudioProcessing> processing;
  webrtc::StreamConfig one, two;
  /* Nobody listens to what is made of the loudspeakers. */
  std::vector<float> left, right;
  int32_t delay_frames = 0;
};

namespace {

/* More than it is late. The click is in the second: the first comes out earlier than what follows. */
constexpr int trial_blocks = 10;
constexpr int click_block = 1;
constexpr float trial_level = 0.5f;

/* The echo canceller alone. */
bool make(comlink_aec3 &canceller, int32_t sample_rate) {
  canceller.processing = rtc::scoped_refptr<webrtc::AudioProcessing>(webrtc::AudioProcessingBuilder().Create());
  if (!canceller.processing)
    return false;
  webrtc::AudioProcessing::Config config;
  config.pipeline.maximum_internal_processing_rate = 48000;
  config.pipeline.multi_channel_render = true;
  config.echo_canceller.enabled = true;
  config.echo_canceller.mobile_mode = false;
  canceller.processing->ApplyConfig(config);
  canceller.one = webrtc::StreamConfig(sample_rate, 1);
  canceller.two = webrtc::StreamConfig(sample_rate, 2);
  canceller.left.resize(canceller.one.num_frames());
  canceller.right.resize(canceller.one.num_frames());
  return true;
}

void run(comlink_aec3 *canceller, const float *left, const float *right, float *block) {
  const float *played[] = {left, right};
  float *unheard[] = {canceller->left.data(), canceller->right.data()};
  canceller->processing->ProcessReverseStream(played, canceller->two, canceller->two, unheard);
  /* It finds the echo's delay itself. */
  canceller->processing->set_stream_delay_ms(0);
  const float *heard[] = {block};
  float *treated[] = {block};
  canceller->processing->ProcessStream(heard, canceller->one, canceller->one, treated);
}

/* By how many frames a click is late. */
int32_t measured_delay(int32_t sample_rate) {
  comlink_aec3 trial;
  if (!make(trial, sample_rate))
    return 0;
  const size_t frames = trial.one.num_frames();
  const std::vector<float> silence(frames);
  std::vector<float> block(frames);
  float loudest = 0;
  int32_t delay = 0;
  for (int index = 0; index < trial_blocks; index++) {
    std::fill(block.begin(), block.end(), 0.0f);
    if (index == click_block)
      block[0] = trial_level;
    run(&trial, silence.data(), silence.data(), block.data());
    for (size_t frame = 0; frame < frames; frame++)
      if (std::fabs(block[frame]) > loudest) {
        loudest = std::fabs(block[frame]);
        delay = static_cast<int32_t>((static_cast<size_t>(index) - click_block) * frames + frame);
      }
  }
  return delay;
}

/* Nothing is thrown to whoever is not C++. */
comlink_aec3 *create(int32_t sample_rate) {
  try {
    auto canceller = std::make_unique<comlink_aec3>();
    if (!make(*canceller, sample_rate))
      return nullptr;
    canceller->delay_frames = measured_delay(sample_rate);
    return canceller.release();
  } catch (...) {
    return nullptr;
  }
}

void destroy(comlink_aec3 *canceller) { delete canceller; }

int32_t delay_frames(const comlink_aec3 *canceller) { return canceller->delay_frames; }

float lowered_decibels(comlink_aec3 *canceller) {
  return static_cast<float>(canceller->processing->GetStatistics().echo_return_loss_enhancement.value_or(0));
}

}  // namespace

const comlink_aec3_functions *comlink_aec3_open() {
  static const comlink_aec3_functions functions = {COMLINK_AEC3_SHAPE, create, destroy, delay_frames, run,
                                                   lowered_decibels};
  return &functions;
}
