// What reads and writes the pages of Parquet files: a kernel of its own, which is loaded with the first of such files.

export { beginChunk, newColumn } from './column';
export { powersAddress } from './doubles';
export { region } from './memory';
export { loadDictionary, loadPage, pageRoom, passRows, rowsLeft, storedRoom } from './pages';
export { newNode, rowsWritten, setChild, setForm, setName, setSibling, textAddress, writeRows } from './rows';
export {
  beginDictionary,
  beginWriting,
  boundAt,
  boundBytes,
  compressedAt,
  compressedBytes,
  endDictionary,
  endPage,
  entryCount,
  freezeDictionary,
  isPageIndexed,
  newWriter,
  nullCount,
  pageLevels,
  selectRows,
} from './writer';
export { zstdDecompress } from './zstd';
