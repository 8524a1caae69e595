// The forward pass of chapter 7's Transformer and of chapter 11's GPT, with every number that
// their attentions compute on the way, and that of the recurrent translators before them.
//
// The names are those of the chapters, and each function is one equation. A matrix is an
// array of rows, one row a token; a weight matrix has one row an output, as in PyTorch.
// `trace`, where a function takes it, is a list that collects what each attention computes.
// `off` says which parts are switched off (see translate).
var d2lForward = (() => {
  const range = n => Array.from({ length: n }, (_, i) => i);
  const dot = (x, y) => { let sum = 0; for (let i = 0; i < x.length; i++) sum += x[i] * y[i]; return sum; };
  const mean = x => x.reduce((a, b) => a + b, 0) / x.length;

  // --- layers: each reads X (n, d), and its weights by name ---------------------------

  // X Wᵀ + b
  function linear(model, name, X) {
    const W = model.weights[`${name}.weight`], b = model.weights[`${name}.bias`];
    return X.map(x => W.map((w, j) => dot(x, w) + (b ? b[j] : 0)));
  }

  // exp(a_j) / Σ exp(a_k), where null is a key that the mask hides
  function softmax(scores) {
    const top = Math.max(...scores.filter(a => a !== null));
    const masses = scores.map(a => a === null ? 0 : Math.exp(a - top));
    const total = masses.reduce((a, b) => a + b, 0);
    return masses.map(mass => total && mass / total);  // zeros where every key is hidden
  }

  // The rows of the table of embeddings, times √d
  function embedding(model, name, ids, off) {
    const factor = off.factor ? 1 : Math.sqrt(model.config.num_hiddens);
    return ids.map(id => Array.from(model.weights[`${name}.weight`][id], x => x * factor));
  }

  // X + P, with P[i, 2j] = sin(i / 10000^(2j/d)) and P[i, 2j + 1] the cosine
  function positions(X, off) {
    if (off.positions) return X;
    return X.map((x, i) => x.map((value, j) => {
      const angle = i / 10000 ** ((j - j % 2) / x.length);
      return value + (j % 2 ? Math.cos(angle) : Math.sin(angle));
    }));
  }

  // One head: softmax(Q Kᵀ / √p) V. `mask(i, j)` says whether query i may see key j.
  function dotProductAttention(Q, K, V, mask, off) {
    const p = Q[0].length;
    const dots = Q.map(q => K.map(k => dot(q, k)));
    const scores = dots.map((row, i) => row.map((a, j) =>
      mask(i, j) ? (off.scale ? a : a / Math.sqrt(p)) : null));
    const weights = scores.map(softmax);
    const output = weights.map(row => range(V[0].length).map(c =>
      row.reduce((sum, weight, j) => sum + weight * V[j][c], 0)));
    return { Q, K, V, dots, scores, weights, output };
  }

  // Each pair of columns 2j, 2j + 1 of the token at position i, turned by i / base^(2j/p)
  function rotary(X, base) {
    return X.map((x, i) => x.map((value, j) => {
      const angle = i / base ** ((j - j % 2) / x.length), other = x[j ^ 1];
      return value * Math.cos(angle) + (j % 2 ? other : -other) * Math.sin(angle);
    }));
  }

  // W_o [head 1, …, head h], each with its own columns of X W_qᵀ, Y W_kᵀ and Y W_vᵀ. With
  // fewer heads of keys and values, h / g heads share one (grouped queries).
  function multiHeadAttention(model, name, X, Y, mask, off, trace, place) {
    const { num_heads: h, num_hiddens: d, num_kv_heads: g = h, positions, base } = model.config, p = d / h;
    const turned = M => positions === "rotary" && !off.positions ? rotary(M, base) : M;
    const part = (M, i) => M.map(row => row.slice(i * p, (i + 1) * p));
    const [Q, K, V] = [["W_q", X], ["W_k", Y], ["W_v", Y]].map(([W, M]) => linear(model, `${name}.${W}`, M));
    const here = ([stack, kind, block]) => stack === place.stack && kind === place.kind && block === place.block;
    const links = (off.links || []).filter(here);
    const heads = range(h).map(i => {
      const group = Math.floor(i / (h / g));
      const cut = links.filter(([, , , head]) => head === i);
      const sees = (q, k) => mask(q, k) && !cut.some(([, , , , query, key]) => query === q && key === k);
      return dotProductAttention(turned(part(Q, i)), turned(part(K, group)), part(V, group), sees, off);
    });
    for (const [, , , i] of (off.heads || []).filter(here)) {
      heads[i].output = heads[i].output.map(row => row.map(() => 0));
    }
    trace.push({ ...place, heads });
    return linear(model, `${name}.W_o`, X.map((_, t) => heads.flatMap(head => head.output[t])));
  }

  // (x − mean) / deviation, times a gain, plus a bias; without a bias RMSNorm, which has no mean
  function norm(model, name, X) {
    const gain = model.weights[`${name}.weight`], bias = model.weights[`${name}.bias`];
    return X.map(x => {
      const mu = bias ? mean(x) : 0;
      const deviation = Math.sqrt(mean(x.map(z => (z - mu) ** 2)) + (model.config.eps ?? 1e-5));
      return x.map((z, j) => (z - mu) / deviation * gain[j] + (bias ? bias[j] : 0));
    });
  }

  const add = (X, Y) => X.map((x, i) => x.map((value, j) => value + Y[i][j]));

  // LayerNorm(X + Y)
  const addNorm = (model, name, X, Y) => norm(model, `${name}.ln`, add(X, Y));

  const relu = z => Math.max(0, z);
  const gelu = z => z / 2 * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (z + 0.044715 * z ** 3)));
  const silu = z => z / (1 + Math.exp(-z));

  // W_2 f(W_1 x + b_1) + b_2, for each token by itself
  function twoLayers(model, first, f, second, X) {
    return linear(model, second, linear(model, first, X).map(x => x.map(f)));
  }

  // W_down (silu(W_gate x) · W_up x)
  function swiGLU(model, name, X) {
    const gate = linear(model, `${name}.gate`, X), up = linear(model, `${name}.up`, X);
    return linear(model, `${name}.down`, gate.map((x, i) => x.map((z, j) => silu(z) * up[i][j])));
  }

  // The network of the model's kind, or zeros where it is switched off
  function positionWiseFFN(model, name, X, off, place) {
    const removed = (off.ffns || []).some(([stack, block]) => stack === place.stack && block === place.block);
    if (removed) return X.map(x => x.map(() => 0));
    if (`${name}.gate.weight` in model.weights) return swiGLU(model, name, X);
    if (`${name}.0.weight` in model.weights) return twoLayers(model, `${name}.0`, gelu, `${name}.2`, X);
    return twoLayers(model, `${name}.dense1`, relu, `${name}.dense2`, X);
  }

  // --- blocks and stacks ---------------------------------------------------------------

  const all = () => true;
  const causal = (i, j) => j <= i;

  function encoderBlock(model, block, X, off, trace) {
    const name = `encoder.blks.block${block}`, place = { stack: "encoder", kind: "self", block };
    const Y = addNorm(model, `${name}.addnorm1`, X,
      multiHeadAttention(model, `${name}.attention`, X, X, all, off, trace, place));
    return addNorm(model, `${name}.addnorm2`, Y, positionWiseFFN(model, `${name}.ffn`, Y, off, place));
  }

  function decoderBlock(model, block, X, source, off, trace) {
    const name = `decoder.blks.block${block}`, place = { stack: "decoder", kind: "self", block };
    const Y = addNorm(model, `${name}.addnorm1`, X,
      multiHeadAttention(model, `${name}.attention1`, X, X, off.mask ? all : causal, off, trace, place));
    const Z = addNorm(model, `${name}.addnorm2`, Y,
      multiHeadAttention(model, `${name}.attention2`, Y, source, all, off, trace, { ...place, kind: "cross" }));
    return addNorm(model, `${name}.addnorm3`, Z, positionWiseFFN(model, `${name}.ffn`, Z, off, place));
  }

  // The vectors (m, d) of a sentence's tokens
  function encoder(model, ids, off, trace) {
    let X = positions(embedding(model, "encoder.embedding", ids, off), off);
    for (const block of range(model.config.num_blks)) X = encoderBlock(model, block, X, off, trace);
    return X;
  }

  // The logits (n, vocabulary) of the token after each of these
  function decoder(model, ids, source, off, trace) {
    let X = positions(embedding(model, "decoder.embedding", ids, off), off);
    for (const block of range(model.config.num_blks)) X = decoderBlock(model, block, X, source, off, trace);
    return linear(model, "decoder.dense", X);
  }

  // A block of a GPT: the norms come first, so that the sums are never normalised
  function gptBlock(model, block, X, off, trace) {
    const name = `blks.${block}`, place = { stack: "decoder", kind: "self", block };
    const normed = norm(model, `${name}.norm1`, X), mask = off.mask ? all : causal;
    const Y = add(X, multiHeadAttention(model, name, normed, normed, mask, off, trace, place));
    return add(Y, positionWiseFFN(model, `${name}.ffn`, norm(model, `${name}.norm2`, Y), off, place));
  }

  // The logits (n, vocabulary) of the token after each of these, by a decoder alone
  function gpt(model, ids, off, trace) {
    let X = embedding(model, "embedding", ids, { factor: true });
    if (model.config.positions === "learned" && !off.positions) {
      X = add(X, model.weights["positions.weight"].slice(0, ids.length));
    }
    for (const block of range(model.config.num_blks)) X = gptBlock(model, block, X, off, trace);
    return linear(model, "output", norm(model, "norm", X));
  }

  // --- recurrent translators -----------------------------------------------------------

  const sigmoid = z => 1 / (1 + Math.exp(-z));

  // The state of a GRU after the input x
  function gru(model, name, x, h) {
    const part = (kind, z) => {
      const b = model.weights[`${name}.bias_${kind}_l0`];
      return model.weights[`${name}.weight_${kind}_l0`].map((w, j) => dot(z, w) + b[j]);
    };
    const p = h.length, input = part("ih", x), state = part("hh", h);
    return h.map((old, j) => {
      const reset = sigmoid(input[j] + state[j]), gate = sigmoid(input[p + j] + state[p + j]);
      return gate * old + (1 - gate) * Math.tanh(input[2 * p + j] + reset * state[2 * p + j]);
    });
  }

  // The greedy translation of ids, which end with "<eos>", by a GRU that reads and one that
  // writes. With weights of an attention the context is a new one at each step, otherwise it
  // is the last state. Gives { source, target: tokens, states (m, p), weights (n, m) or [] }.
  function recurrent(model, ids, maxTokens = 20) {
    const row = (name, id) => Array.from(model.weights[`${name}.embedding.weight`][id]);
    const { tokens, ids: known } = model.target, states = [], weights = [], target = [];
    let state = Array(model.config.num_hiddens).fill(0);
    for (const id of ids) states.push(state = gru(model, "encoder.rnn", row("encoder", id), state));
    const attends = "decoder.attention.W_k.weight" in model.weights;
    const keys = attends && linear(model, "decoder.attention.W_k", states), last = state;
    const [w] = attends ? model.weights["decoder.attention.w_v.weight"] : [];
    while (target.length < maxTokens && target.at(-1) !== "<eos>") {
      const y = row("decoder", known.get(target.at(-1) ?? "<bos>"));
      let context = last;
      if (attends) {
        const [query] = linear(model, "decoder.attention.W_q", [state]);
        const alpha = softmax(keys.map(key => dot(w, query.map((q, j) => Math.tanh(q + key[j])))));
        context = last.map((_, j) => alpha.reduce((sum, a, i) => sum + a * states[i][j], 0));
        weights.push(alpha);
      }
      state = gru(model, "decoder.rnn", attends ? [...context, ...y] : [...y, ...context], state);
      const [one] = linear(model, "decoder.dense", [state]), [two] = linear(model, "decoder.dense_context", [context]);
      target.push(tokens[argmax(one.map((logit, i) => logit + two[i]))]);
    }
    return { source: ids.map(id => model.source.tokens[id]), target, states, weights };
  }

  // --- a model and its sentences -------------------------------------------------------

  // The model of a file of weights: matrices are int8 with a scale a row, vectors float32.
  function load(file) {
    const bytes = text => Uint8Array.from(decode(text));
    const floats = text => new Float32Array(bytes(text).buffer);
    const weights = {};
    for (const [name, { shape, int8, scales, float32 }] of Object.entries(file.weights)) {
      if (float32 !== undefined) {
        weights[name] = floats(float32);
        continue;
      }
      const whole = new Int8Array(bytes(int8).buffer), scale = floats(scales);
      weights[name] = range(shape[0]).map(i =>
        Float32Array.from(whole.subarray(i * shape[1], (i + 1) * shape[1]), z => z * scale[i]));
    }
    // Where a model has one table for embedding and output, the file holds it once.
    weights["decoder.dense.weight"] ??= weights["decoder.embedding.weight"];
    weights["output.weight"] ??= weights["embedding.weight"];
    const vocabulary = (text = "") => {  // a list, where a token is a space
      const tokens = Array.isArray(text) ? text : text.split(" ");
      return { tokens, ids: new Map(tokens.map((token, i) => [token, i])) };
    };
    return { config: file.config, weights, source: vocabulary(file.source), target: vocabulary(file.target) };
  }

  // The bytes of base64; V8 by itself has no atob.
  function* decode(text) {
    const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const value = Object.fromEntries([...digits].map((digit, i) => [digit, i]));
    let bits = 0, count = 0;
    for (const digit of text.replace(/=+$/, "")) {
      bits = (bits << 6 | value[digit]) & 0xffff;
      count += 6;
      if (count >= 8) yield bits >> (count -= 8) & 0xff;
    }
  }

  const QUESTION = /^(who|what|where|when|why|how|which|do|does|did|is|are|am|was|were|can|could|will|would|have|has)('s)? /;

  const NUMBERS = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen " +
    "sixteen seventeen eighteen nineteen twenty").split(" ");

  // The tokens of a sentence as in MTFraEng, with a mark at its end. The ids end with "<eos>".
  // A number whose word the model knows becomes this word. Quotation marks and the dot of Mr. are
  // left out, of several marks at the end one stays, and tokens such as "<eos>" are unknown.
  function tokenize(model, sentence) {
    let text = sentence.toLowerCase().replace(/[’‘`]/g, "'").replace(/["“”«»]/g, "");
    text = text.replace(/\b(mr|mrs|ms|dr)\./g, "$1").replace(/([.!?])[.!? ]*$/, "$1");
    text = text.replace(/([,.!?])(?=\p{L})/gu, "$1 ").replace(/\s+/g, " ").trim();
    text = text.replace(/(?<![\d.,])\d+(?![\d.,]*\d)/g, digits =>
      model.source.ids.has(NUMBERS[digits]) ? NUMBERS[digits] : digits);
    if (text && !/[.!?]$/.test(text)) text += QUESTION.test(`${text} `) ? "?" : ".";
    const tokens = text.replace(/([^ ])(?=[,.!?])/g, "$1 ").split(" ").filter(token => token);
    const { ids } = model.source;
    return {
      tokens,
      ids: [...tokens, "<eos>"].map(token => ids.get(token) ?? ids.get("<unk>")),
      unknown: tokens.filter(token => !ids.has(token) || /^</.test(token)),
    };
  }

  // The trace of a greedy translation; ids end with "<eos>".
  //
  // trace = {
  //   source, target: tokens, the target as it was written, with "<eos>" if it ended,
  //   steps: for each token of the target { token, top: [[token, probability] × 5] },
  //   attentions: [{ stack, kind: "self" | "cross", block, heads }], of which a head is
  //     { Q (n, p), K and V (m, p), dots = Q Kᵀ (n, m), scores: scaled, null where masked,
  //       weights (n, m), output (n, p) }. In the decoder, row t wrote token t of the target.
  // }
  // off = {
  //   positions, scale, factor: true leaves out P, the division by √p, the product with √d,
  //   heads: [[stack, kind, block, head], …] and ffns: [[stack, block], …] are zeros,
  //   links: [[stack, kind, block, head, query, key], …] are single weights: in this head the
  //     mask hides this key from this query, so that its other weights grow to a sum of 1,
  //   mask: true writes the target with the mask, as always, and then reads all of it at
  //     once without: steps and attentions are those of this pass, in which a position
  //     sees the later tokens too, among them the one that it is about to predict
  // }
  function translate(model, ids, off = {}, maxTokens = 20) {
    const encoded = [], source = encoder(model, ids, off, encoded);
    const bos = model.target.ids.get("<bos>");
    const pass = (written, off, trace) => decoder(model, [bos, ...written], source, off, trace);
    const { attentions, ...rest } = write(model, pass, off, maxTokens);
    return { source: ids.map(id => model.source.tokens[id]), ...rest, attentions: [...encoded, ...attentions] };
  }

  // The same for a GPT that continues ids: its rows are those of the prompt, then of the target.
  // `options` = { end, temperature } name the token that ends it, and let it draw each token.
  function complete(model, ids, off = {}, maxTokens = 20, options = {}) {
    const pass = (written, off, trace) => gpt(model, [...ids, ...written], off, trace);
    return { source: ids.map(id => model.target.tokens[id]), ...write(model, pass, off, maxTokens, options) };
  }

  // Append the likeliest token, or at a temperature one that is drawn, until the token `end` or
  // the last step. `pass(written, off, trace)` gives the logits after every token; the last of
  // them belong to the tokens that were written.
  function write(model, pass, off, maxTokens, { end = "<eos>", temperature = 0 } = {}) {
    const { tokens, ids } = model.target, written = [];
    let logits, attentions;
    while (written.length < maxTokens && (!written.length || written.at(-1) !== ids.get(end))) {
      attentions = [];
      logits = pass(written, { ...off, mask: false }, attentions);
      written.push(temperature ? draw(logits.at(-1), temperature) : argmax(logits.at(-1)));
    }
    if (off.mask) {
      attentions = [];
      logits = pass(written.slice(0, -1), off, attentions);
    }
    const steps = logits.slice(-written.length).map((row, t) => {
      const probabilities = softmax(row);
      const order = range(row.length).sort((i, j) => row[j] - row[i]).slice(0, 5);
      return { token: tokens[off.mask ? order[0] : written[t]], top: order.map(i => [tokens[i], probabilities[i]]) };
    });
    return { target: written.map(id => tokens[id]), steps, attentions };
  }

  // An index with the probability that the softmax of row / temperature gives it
  function draw(row, temperature) {
    const probabilities = softmax(row.map(a => a / temperature));
    let left = Math.random();
    const found = probabilities.findIndex(p => (left -= p) < 0);
    return found < 0 ? argmax(row) : found;  // the probabilities add up to 1 but for rounding
  }

  const argmax = row => row.reduce((best, value, i) => value > row[best] ? i : best, 0);

  return { load, tokenize, translate, recurrent, complete };
})();
