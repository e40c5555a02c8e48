// The format of inputs that hold one JSON array each. An output of such inputs is an array too.

import { containerFormats } from '../../records/formats.js';
import { byteSinkKinds } from '../file/foldersink.js';
import type { FileFormat } from '../format.js';
import { arraySourceKind } from './source.js';

export const arrayFormat: FileFormat = {
  name: 'json',
  ...containerFormats.json,
  isBinary: false,
  isArray: true,
  whyNotFollowed: 'a JSON array, which ends',
  sources: [arraySourceKind],
  sinks: byteSinkKinds,
};
