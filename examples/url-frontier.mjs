// The frontier of a crawler, on a web that it makes up: every page links to others, most of them seen before, and a page is
// queued only when its URL comes up for the first time. Run it with `node examples/url-frontier.mjs`.

import { create } from 'firstseen';
import { generator } from './lib/random.mjs';

const PAGES = 20_000;
const LINKS = 12;

/** URLs on a page, the same each time it is fetched: half lead anywhere, half to the few pages that everyone links to. */
function fetchLinks(url) {
  const random = generator(1 + Number(url.slice(url.lastIndexOf('/') + 1)));
  return Array.from({ length: LINKS }, (_, i) => {
    const place = i % 2 === 0 ? random() : random() ** 8;
    return `https://www.example.com/page/${Math.floor(place * PAGES)}`;
  });
}

/** Fetches all that `isNew` lets into the frontier; returns what it fetched and how many links it met. */
function crawl(isNew) {
  const frontier = ['https://www.example.com/page/0'];
  isNew(frontier[0]);
  let links = 0;
  for (let next = 0; next < frontier.length; next++) {
    for (const url of fetchLinks(frontier[next])) {
      links++;
      if (isNew(url)) frontier.push(url);
    }
  }
  return { links, fetched: frontier };
}

// A false positive leaves a page out, a false negative fetches it again. A Bloom filter never does the latter.
const detector = await create({ algorithm: 'bloom', memory: '64KiB', fpr: 0.001 });
const { links, fetched } = crawl((url) => detector.observe(url) === 'distinct');

const known = new Set();
const exact = crawl((url) => !known.has(url) && known.add(url));

console.log(`links met: ${links}`);
console.log(`pages fetched: ${fetched.length}`);
console.log(`pages fetched again: ${fetched.length - new Set(fetched).size}`);
console.log(`pages that an exact crawler fetches: ${exact.fetched.length}`);
console.log(`bytes of memory: ${detector.stats().memoryBytes}`);
console.log(`bytes of the URLs of an exact crawler: ${exact.fetched.join('').length}`);
