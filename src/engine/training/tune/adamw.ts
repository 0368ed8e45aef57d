const beta1 = 0.9;
const beta2 = 0.999;
const epsilon = 1e-8;
const weightDecay = 0.01;
/** The share of the steps in which the rate rises. */
const warmUpShare = 0.1;

/** Changes parameters in place by one step against their gradients. */
type Optimiser = (parameters: Float32Array, gradients: Float32Array, rate: number) => void;

/** Makes an optimiser: Adam with decoupled weight decay of 0.01 (Loshchilov & Hutter 2019). */
export function createAdamW(length: number): Optimiser {
  const means = new Float64Array(length);
  const squares = new Float64Array(length);
  let step = 0;
  return (parameters, gradients, rate) => {
    step += 1;
    const meanBias = 1 - beta1 ** step;
    const squareBias = 1 - beta2 ** step;
    for (let i = 0; i < length; i++) {
      const gradient = gradients[i];
      const mean = beta1 * means[i] + (1 - beta1) * gradient;
      const square = beta2 * squares[i] + (1 - beta2) * gradient * gradient;
      means[i] = mean;
      squares[i] = square;
      const direction = mean / meanBias / (Math.sqrt(square / squareBias) + epsilon);
      parameters[i] = parameters[i] * (1 - rate * weightDecay) - rate * direction;
    }
  };
}

/** The share of the highest rate at a step (1 … steps): a tenth of the way up in a line, then down by half a cosine. */
export function computeRateShare(step: number, steps: number): number {
  const warmUp = warmUpShare * steps;
  const rise = Math.min(step / warmUp, 1);
  return rise * 0.5 * (1 + Math.cos(Math.PI * Math.max(0, (step - warmUp) / (steps - warmUp))));
}
