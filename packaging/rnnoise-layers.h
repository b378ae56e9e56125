/* Derived from RNNoise's rnn.c: Copyright (c) 2008-2011 Octasic Inc., 2012-2017 Jean-Marc Valin; changes Copyright (c)
   2026 Comlink maintainers. */
/*
   Redistribution and use in source and binary forms, with or without
   modification, are permitted provided that the following conditions
   are met:

   - Redistributions of source code must retain the above copyright
   notice, this list of conditions and the following disclaimer.

   - Redistributions in binary form must reproduce the above copyright
   notice, this list of conditions and the following disclaimer in the
   documentation and/or other materials provided with the distribution.

   THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS
   ``AS IS'' AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT
   LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR
   A PARTICULAR PURPOSE ARE DISCLAIMED.  IN NO EVENT SHALL THE FOUNDATION OR
   CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL,
   EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO,
   PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR
   PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF
   LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING
   NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS
   SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
*/

/* RNNoise's dense and recurrent layers with their loops exchanged, which build-rnnoise puts in the place of its own.
 *
 * Weights of one input lie side by side, so that sums of neighbouring neurons are made at once; each is added up in the
 * order in which RNNoise adds it. Where the compiler makes no fused multiplications of either (x86-64) the sound is the
 * same to the bit, elsewhere but for rounding. */

/* Adds inputs times the weights of so many neurons, of rows of `stride`; `gains`, if any, are further factors. */
static void add_rows(float *sums, const rnn_weight *weights, int stride, int neurons, const float *inputs,
                     const float *gains, int count) {
  for (int j = 0; j < count; j++) {
    const rnn_weight *row = weights + j * stride;
    const float input = inputs[j], gain = gains ? gains[j] : 1;
    for (int i = 0; i < neurons; i++)
      sums[i] += row[i] * input * gain;
  }
}

static void start_rows(float *sums, const rnn_weight *bias, int neurons) {
  for (int i = 0; i < neurons; i++)
    sums[i] = bias[i];
}

static void activate(float *values, int activation, int neurons) {
  for (int i = 0; i < neurons; i++) {
    const float value = WEIGHTS_SCALE * values[i];
    values[i] = activation == ACTIVATION_SIGMOID ? sigmoid_approx(value)
                : activation == ACTIVATION_TANH  ? tansig_approx(value)
                                                 : relu(value);
  }
}

static void compute_dense(const DenseLayer *layer, float *output, const float *input) {
  start_rows(output, layer->bias, layer->nb_neurons);
  add_rows(output, layer->input_weights, layer->nb_neurons, layer->nb_neurons, input, NULL, layer->nb_inputs);
  activate(output, layer->activation, layer->nb_neurons);
}

static void compute_gru(const GRULayer *gru, float *state, const float *input) {
  const int count = gru->nb_neurons;
  /* Update, reset, and what is new. */
  float gates[3][MAX_NEURONS];
  for (int gate = 0; gate < 3; gate++) {
    start_rows(gates[gate], gru->bias + gate * count, count);
    add_rows(gates[gate], gru->input_weights + gate * count, 3 * count, count, input, NULL, gru->nb_inputs);
    add_rows(gates[gate], gru->recurrent_weights + gate * count, 3 * count, count, state, gate == 2 ? gates[1] : NULL,
             count);
    activate(gates[gate], gate == 2 ? gru->activation : ACTIVATION_SIGMOID, count);
  }
  for (int i = 0; i < count; i++)
    state[i] = gates[0][i] * state[i] + (1 - gates[0][i]) * gates[2][i];
}
