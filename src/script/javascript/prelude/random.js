// Every run starts from the same memory, so QuickJS's own generator would tell every run the same numbers.
(sandbox) => {
  const { parse } = JSON;
  let seed;
  let a;
  let b;
  let c;
  let counter;

  /** Read when the first number is asked for. */
  sandbox.seedRandom = (words) => {
    seed = words;
  };

  function start() {
    [a, b, c] = parse(seed);
    seed = undefined;
    counter = 1;
    for (let round = 0; round < 12; round++) next();
  }

  /** sfc32: 32 random bits. */
  function next() {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  Math.random = function random() {
    if (seed !== undefined) start();
    return ((next() >>> 5) * 67_108_864 + (next() >>> 6)) / 9_007_199_254_740_992;
  };
};
