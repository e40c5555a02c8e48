// For the laboratory, the benchmarks and the tools of this repository, in addition to the public entries. Any release may change or
// remove what is here. Programs import `firstseen` and `firstseen/node`.

export { Command, Option } from 'commander';
export {
  checkBytes,
  checkNumber,
  checkPositive,
  checkWhole,
  checkWord,
  type NumberRange,
  type WholeRange,
} from './base/check.js';
export { formatCount, formatCounted } from './base/count.js';
export { type ErrorData, invalidOption, type OptionReference, optionName, phrase } from './base/errors.js';
export { formatBytes } from './base/memory.js';
export { newProgram, pointToHelp, runProgram } from './cli/commandline.js';
export { type CommandDescription, describeCommand } from './cli/describe.js';
export { exitCodeOf, exitCodes } from './cli/exit.js';
export { checkFlagRules, choiceOption, numberOption } from './cli/flags.js';
export { optionFacts } from './cli/options.js';
export { Interrupted, stopListener } from './cli/signals.js';
export { writeOutput } from './cli/streams.js';
export { alignRows, formatParameters, wrapText } from './cli/text.js';
export { layoutNames } from './detectors/contract.js';
export { Detector, kernelOf } from './detectors/detector.js';
export { binomialInterval, studentQuantile } from './detectors/intervals.js';
export { familyNamed, familyNames } from './detectors/registry.js';
export { fractionalVictims, meanMissRate, victimsForRate } from './detectors/sbf.js';
export { MIN_MEMORY_BYTES, ownParameters, resolveSettings } from './detectors/settings.js';
export { listFiles } from './io/file/folderfiles.js';
export { lockState } from './io/lock/lock.js';
export type { InputReader } from './io/source.js';
export { lookAtInput, requestOf } from './io/sources.js';
export { inputError } from './io/system/inputerror.js';
export { STANDARD_STREAM } from './io/system/paths.js';
export { MotifPipeline } from './jobs/motifs/pipeline.js';
export { sampledStream } from './jobs/sample.js';
export { detectorExports, FAMILY_REGISTER, POCKET_BYTES } from './kernel/abi.js';
export { compileKernel } from './kernel/compile.js';
export { Kernel, kernelPages, wholeCacheLines } from './kernel/kernel.js';
export type { KernelParameter } from './kernel/parameter.js';
export { wholeKernel } from './kernel/wholekernel.js';
export { chanceAt } from './near/bands.js';
export { RangeMotifs } from './near/motifs.js';
export { resolveMotifSettings } from './near/motifsettings.js';
export { planNear } from './near/plan.js';
export { nearPlanText } from './near/plantext.js';
export { flagOfOption } from './options/flagnames.js';
export { parseChoice, parseList, parseNamed, parseNumber, parseValue, parseWhole } from './options/values.js';
export type { Course } from './plan/contract.js';
export { COARSE, FINE, type Grid, gridOf } from './plan/grid.js';
export { limitOf, minFnrOf } from './plan/limit.js';
export { predictMeasured } from './plan/measured.js';
export { predictionOf } from './plan/predict.js';
export { familyPlans } from './plan/registry.js';
export { stableCourse } from './plan/sbf.js';
export {
  curveStream,
  distinctShare,
  type FreshnessPoint,
  gapListStream,
  uniformStream,
  universeOf,
} from './plan/stream.js';
export { percent, table } from './plan/text.js';
export { configureScan } from './records/settings.js';
