// A filter that does not grow counts what it is asked, also once it is full.

import { expect, test } from 'vitest';
import type { Client, Read } from './support/client.js';
import { dataIn, killedNow, newFolder } from './support/folder.js';
import { withServer } from './support/server.js';

async function countsOf(client: Client): Promise<Record<string, Read>> {
  const stats = (await client.send('FS.STATS', 'f')) as Read[];
  const count = (name: string) => stats[stats.indexOf(name) + 1] as Read;
  return { observed: count('observed'), duplicates: count('duplicates'), refused: count('refused') };
}

test('a filter that has little or no room counts repeats, and a start after a kill has the same', async () => {
  const folder = newFolder();
  await withServer(
    async (client) => {
      await client.send('BF.RESERVE', 'f', '0.01', '5', 'NONSCALING');
      await client.send('FS.OBSERVE', 'f', ...'aaaaaaaa');
      expect(await countsOf(client)).toEqual({ observed: 8, duplicates: 7, refused: 0 });
      await client.send('FS.OBSERVE', 'f', ...'bcabcde');
      expect(await countsOf(client)).toEqual({ observed: 15, duplicates: 10, refused: 0 });
      // It is full.
      const replies = await client.send('FS.OBSERVE', 'f', 'a', 'b', 'new', 'c');
      expect(replies).toEqual(['+duplicate', '+duplicate', expect.stringMatching(/^-ERR non scaling filter is full/)]);
      expect(await client.send('BF.ADD', 'f', 'e')).toBe(0);
      expect(await client.send('FS.ADD', 'f', 'e', 'd')).toBe(0);
      const counts = { observed: 20, duplicates: 15, refused: 2 };
      expect(await countsOf(client)).toEqual(counts);
      await withServer(async (again) => expect(await countsOf(again)).toEqual({ ...counts, refused: 0 }), {
        data: dataIn(killedNow(folder)),
      });
    },
    { data: dataIn(folder) },
  );
});

test('a request with an id is remembered after a kill, also where a filter has little room', async () => {
  const folder = newFolder();
  await withServer(
    async (client) => {
      await client.send('BF.RESERVE', 'f', '0.01', '3', 'NONSCALING');
      const request = ['FS.OBSERVEID', 'f', 'id', 'a', 'b', 'a', 'b'];
      const answers = ['+distinct', '+distinct', '+duplicate', '+duplicate'];
      expect(await client.send(...request)).toEqual(answers);
      await withServer(async (again) => expect(await again.send(...request)).toEqual(answers), {
        data: dataIn(killedNow(folder)),
      });
    },
    { data: dataIn(folder) },
  );
});
