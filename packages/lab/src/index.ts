// The laboratory: streams whose truth is known, what detectors get wrong over them, and the tables of the papers. docs/LAB.md of
// the repository describes the command that does all of it.

export type {
  DetectorSpec,
  ErrorCounts,
  Identity,
  Measurement,
  Plot,
  Report,
  RunSpec,
  StreamSpec,
} from './contract.js';
export { type MeasureOptions, measure } from './measure/measure.js';
export { type ExperimentOptions, runExperiment } from './measure/run.js';
export { type ElementStream, openStream, type StreamOptions } from './measure/stream.js';
export { type ClusterOptions, drawClusters, type LabelledRecords } from './motifs/clusters.js';
export { type Timing, type TimingOptions, timeMotifs } from './motifs/timing.js';
export { plotSvg } from './report/svg.js';
export type {
  Rival,
  RivalPaper,
  RivalParameters,
  RivalRequest,
  RivalRow,
  RivalWindow,
} from './rivals/contract.js';
export { rivals } from './rivals/registry.js';
export { streamKinds } from './streams/registry.js';
