// Exports of the laboratory's kernel other than the streams: the constants that the host uses too.

export { LAYOUT_CLASSIC } from '../../firstseen/assembly/lib/memory';
export { STREAM_BY_GAP_PARAMETER, STREAM_HASHED_PARAMETER, STREAM_TRUTH_PARAMETER } from './lib/stream';
