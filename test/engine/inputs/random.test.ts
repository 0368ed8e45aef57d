import { describe, expect, it } from 'vitest';
import { createRandom, createStream, deriveSeed, randomStreams } from '../../../src/engine/random.ts';

describe('a named stream of chance', () => {
  it('keeps its number, so that the policies of earlier versions can be trained again', () => {
    const numbers = Object.entries(randomStreams).map(([name, stream]: [string, (runSeed: number) => number]) => [
      name,
      stream.length === 1 ? `run + ${stream(0)}` : `${stream(0)}`,
    ]);
    expect(Object.fromEntries(numbers)).toEqual({
      modelFit: 'run + 0',
      macroF1Bootstrap: 'run + 0',
      teacher: 'run + 0',
      linearFolds: 'run + 1',
      treeConfirmationFit: 'run + 1',
      treeSearch: 'run + 2',
      treeFolds: 'run + 3',
      treeConfirmationFolds: 'run + 4',
      reasonFolds: 'run + 5',
      outOfFoldFolds: 'run + 6',
      textTuning: 'run + 7',
      drawnFolds: 'run + 8',
      outOfFoldPart: '13',
      heldOutSplit: '0',
      linearSubset: '7',
      treeSubset: '11',
      familiarityFolds: '11',
      learningCurveParts: '23',
      probeTexts: '41',
      textTuningFold: '59',
      textTuningPart: '61',
      calibrationHalves: '97',
      ruleProposalHalves: '131',
      auditDraw: '149',
      nearRepeatGrids: '151',
      costBootstrap: '157',
      goldenInputs: '163',
    });
  });

  it('follows the seed of the run, or is the same in every run', () => {
    expect(deriveSeed(randomStreams.treeFolds, 100)).toBe(103);
    expect(deriveSeed(randomStreams.familiarityFolds)).toBe(11);
    const drawThree = (random: () => number) => [random(), random(), random()];
    expect(drawThree(createStream(randomStreams.treeSearch, 100))).toEqual(drawThree(createRandom(102)));
    expect(drawThree(createStream(randomStreams.probeTexts))).toEqual(drawThree(createRandom(41)));
  });
});
