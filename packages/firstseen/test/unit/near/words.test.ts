// The words of documents: what makes documents equal, and what cuts a text.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NearDetector } from '../../../src/near/detector.js';
import type { NearOptions } from '../../../src/near/settings.js';
import { wordsOf } from '../../reference/near/words.js';
import { inLongForm, sampleNote, sampleOf } from '../../support/form.js';
import { Random } from '../../support/streams.js';

const PAIRS = inLongForm(200, 8);
const WORDS = 120;

/** Letters of scripts that have case. */
const alphabets = [
  'abcdefghijklmnopqrstuvwxyzàéîöüçñ',
  'αβγδεζηθικλμνξοπρστυφχψω',
  'абвгдежзийклмнопрстуфхцчшщыэюя',
  'աբգդեզէըթժիլխծկհձղճմյն',
].map((alphabet) => [...alphabet]);

function drawWord(random: Random, letters: readonly string[]): string {
  return Array.from({ length: 2 + random.below(9) }, () => letters[random.below(letters.length)]).join('');
}

function drawDocument(random: Random, letters: readonly string[]): string[] {
  return Array.from({ length: WORDS }, () => drawWord(random, letters));
}

const joined = (words: readonly string[], blank = ' ') => words.join(blank);
const eachTenth = (words: readonly string[], change: (word: string) => string) =>
  words.map((word, i) => (i % 10 === 3 ? change(word) : word));
const amid = (mark: string) => (word: string) => `${word.slice(0, 1)}${mark}${word.slice(1)}`;

/** Two forms of a document. */
const differences: [string, (words: readonly string[]) => [string, string]][] = [
  [
    'quotes',
    (words) => [joined(eachTenth(words, (word) => `"${word}"`)), joined(eachTenth(words, (word) => `“${word}”`))],
  ],
  [
    'single quotes',
    (words) => [joined(eachTenth(words, (word) => `'${word}'`)), joined(eachTenth(words, (word) => `‘${word}’`))],
  ],
  ['apostrophes', (words) => [joined(eachTenth(words, amid("'"))), joined(eachTenth(words, amid('’')))]],
  ['no-break spaces', (words) => [joined(words), joined(words, '\u00a0')]],
  ['ideographic spaces', (words) => [joined(words), joined(words, '\u3000')]],
  ['en dashes', (words) => [joined(words, '-'), joined(words, '–')]],
  ['em dashes', (words) => [joined(words, ' - '), joined(words, '—')]],
  ['emoji', (words) => [joined(words), joined(eachTenth(words, (word) => `${word} 👩🏽‍💻 ❤️ 🇫🇷`))]],
  ['zero-width spaces', (words) => [joined(words), joined(words.map(amid('\u200b')))]],
  ['soft hyphens', (words) => [joined(words), joined(words.map(amid('\u00ad')))]],
  ['byte order marks', (words) => [joined(words), `\ufeff${joined(words)}`]],
  ['case', (words) => [joined(words), joined(words).toUpperCase()]],
];

async function foundPairs(
  options: NearOptions,
  forms: (words: readonly string[]) => [string, string],
): Promise<number> {
  const near = await NearDetector.create({ memory: '1MiB', ...options });
  const random = new Random(5);
  let found = 0;
  for (let pair = 0; pair < PAIRS; pair++) {
    const [one, other] = forms(drawDocument(random, alphabets[pair % alphabets.length] as string[]));
    expect(one).not.toBe(other);
    expect(near.observe(one).verdict).toBe('distinct');
    found += near.observe(other).verdict === 'duplicate' ? 1 : 0;
  }
  return found;
}

describe.each<NearOptions>([
  {},
  { variant: 'one-permutation' },
  { lsh: 'simhash', similarity: 0.95, hashes: 256 },
  { verify: true },
])('with %j, documents are near that differ in', (options) => {
  test.each(differences)('%s', async (_, forms) => {
    expect(await foundPairs(options, forms)).toBe(PAIRS);
  });

  test('composed and decomposed accents, with a form of Unicode', async () => {
    const forms = (words: readonly string[]): [string, string] => {
      const accented = joined(words.map((word) => `${word}é`));
      return [accented, accented.normalize('NFD')];
    };
    expect(await foundPairs({ ...options, normalize: 'nfc' }, forms)).toBe(PAIRS);
  });
});

/** Sentences in scripts without blanks, from which documents are put together. */
const sentences: Record<string, string[]> = {
  chinese: [
    '清晨的河水很冷，岸边没有一个人。',
    '老师把昨天的作业发给了学生们。',
    '这座桥是一百多年前用石头修建的。',
    '下雨的时候，孩子们在屋里看书。',
    '他打算明年春天去南方旅行两个月。',
    '市场上的苹果比上个星期便宜一些。',
    '火车晚点了，我们只好在车站等候。',
    '窗外的树叶慢慢变成了黄色。',
    '她学会了用木头做桌子和椅子。',
    '图书馆在冬天关门比较早。',
    '医生说多喝水、早点睡觉就会好。',
    '晚饭以后全家人一起去散步。',
  ],
  japanese: [
    '朝の川は水が冷たく、岸には誰もいなかった。',
    '先生は昨日の宿題を生徒たちに返しました。',
    'この橋は百年以上前に石で作られたものです。',
    '雨の日には子どもたちは家で本を読みます。',
    '来年の春、彼は南の町へ旅行するつもりだ。',
    '市場のりんごは先週より少し安くなった。',
    '電車が遅れたので、駅で待つしかなかった。',
    '窓の外の木の葉がゆっくり黄色に変わる。',
    '彼女は木で机と椅子を作ることを覚えた。',
    '図書館は冬になると早く閉まります。',
    '水をたくさん飲んで早く寝なさいと医者が言った。',
    '夕食のあと、家族みんなで散歩に出かけた。',
  ],
  thai: [
    'น้ำในแม่น้ำตอนเช้าเย็นมากและไม่มีใครอยู่ริมฝั่ง',
    'ครูคืนการบ้านของเมื่อวานให้กับนักเรียน',
    'สะพานนี้สร้างด้วยหินเมื่อกว่าร้อยปีก่อน',
    'วันที่ฝนตกเด็กๆอ่านหนังสืออยู่ในบ้าน',
    'เขาตั้งใจจะไปเที่ยวภาคใต้ในปีหน้า',
    'แอปเปิลในตลาดถูกกว่าสัปดาห์ที่แล้วเล็กน้อย',
    'รถไฟมาช้าเราจึงต้องรอที่สถานี',
    'ใบไม้นอกหน้าต่างค่อยๆเปลี่ยนเป็นสีเหลือง',
    'เธอเรียนรู้การทำโต๊ะและเก้าอี้จากไม้',
    'ห้องสมุดปิดเร็วขึ้นในฤดูหนาว',
    'หมอบอกให้ดื่มน้ำมากๆและนอนแต่หัวค่ำ',
    'หลังอาหารเย็นทั้งครอบครัวออกไปเดินเล่น',
  ],
};

/** A text of at least this many characters, of sentences in any order. */
function drawText(random: Random, from: readonly string[], characters: number): string {
  let text = '';
  while (text.length < characters) text += from[random.below(from.length)];
  return text.slice(0, characters);
}

describe.each(Object.entries(sentences))('%s', (_, own) => {
  test.each<NearOptions>([
    { verify: true, window: 2 },
    { verify: true, window: 2, variant: 'one-permutation' },
    { lsh: 'simhash', hashes: 256 },
  ])('documents of 399 letters in which three are others are near, with %j', async (options) => {
    const other = (own === sentences.chinese ? sentences.japanese : sentences.chinese) as string[];
    const random = new Random(8);
    const create = () => NearDetector.create({ memory: '64KiB', ...options });
    let near = await create();
    // Counts of shingles of such texts are all similar, so a document is compared with one other alone.
    for (let pair = 0; pair < (options.verify ? PAIRS : inLongForm(20, 8)); pair++) {
      if (!options.verify) near = await create();
      const text = drawText(random, own, 399);
      const at = 3 * random.below(133);
      near.observe(text);
      expect(near.observe(`${text.slice(0, at)}龍灯ฬ${text.slice(at + 3)}`).verdict).toBe('duplicate');
      if (options.verify) expect(near.observe(drawText(random, other, 399)).verdict).toBe('distinct');
    }
  });
});

test('a text of two scripts is near its copy with a sentence more in either of them', async () => {
  const random = new Random(2);
  const near = await NearDetector.create({ memory: '1MiB', verify: true });
  for (let pair = 0; pair < inLongForm(50, 10); pair++) {
    const english = drawDocument(random, [...'abcdefghijklmnopqrstuvwxyz']);
    // A word has more letters, so about half of the letters are of each script.
    const text = `${drawText(random, sentences.japanese as string[], 700)} ${joined(english)}`;
    expect(near.observe(text).verdict).toBe('distinct');
    expect(near.observe(`${text} ${joined(english.slice(0, 12))}`).verdict).toBe('duplicate');
    expect(near.observe(`${(sentences.chinese as string[])[0]}${text}`).verdict).toBe('duplicate');
  }
});

test.each([
  ['simple', 'straße', 'STRASSE', false],
  ['unicode', 'straße', 'STRASSE', true],
  ['simple', 'Жук', 'жУК', true],
  ['ascii', 'Жук', 'жУК', false],
  ['ascii', 'Abc', 'aBC', true],
  ['keep', 'Abc', 'aBC', false],
] as const)('--case %s: %s and %s', async (letters, one, other, isNear) => {
  const near = await NearDetector.create({ memory: '1MiB', case: letters });
  near.observe(one);
  expect(near.observe(other).verdict).toBe(isNear ? 'duplicate' : 'distinct');
});

const byDefault = { unit: 'auto', length: 5, folds: 'none' } as const;
const words = (text: string) =>
  wordsOf(new TextEncoder().encode(text), byDefault).map((word) =>
    new TextDecoder().decode(Uint8Array.from(word.text, (byte) => byte.charCodeAt(0))),
  );

test('where Intl.Segmenter finds words, and where it does not', () => {
  const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
  const segments = (text: string) =>
    [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
  for (const text of [
    'Ça va très bien — «merci», 3 fois.',
    'Съешь ещё этих булок!',
    'שלום עולם',
    'مرحبا بالعالم ١٢٣',
    'नमस्ते दुनिया',
    '한국어 문장 입니다',
  ]) {
    expect(words(text)).toEqual(segments(text));
  }
  // Punctuation is never part of a word.
  expect(segments("don't 3.14 example.com snake_case")).toEqual(["don't", '3.14', 'example.com', 'snake_case']);
  expect(words("don't 3.14 example.com snake_case")).toEqual([
    'don',
    't',
    '3',
    '14',
    'example',
    'com',
    'snake',
    'case',
  ]);
  // Each letter of a script without blanks is a word, because the kernel has no dictionary.
  expect(words('漢字 カナ ไทย')).toEqual(['漢', '字', 'カ', 'ナ', 'ไ', 'ท', 'ย']);
  // Format characters are left out instead of kept.
  expect(segments('soft\u00adhyphen')).toEqual(['soft\u00adhyphen']);
  expect(words('soft\u00adhyphen')).toEqual(['softhyphen']);
  // Numbers other than digits count as letters.
  expect(words('x² ½')).toEqual(['x²', '½']);
});

test(`on the pages of this project, words are those of Intl.Segmenter cut at punctuation${sampleNote}`, () => {
  const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
  const pages = ['NEAR', 'ALGORITHMS', 'command/formats', 'command/keys'].map((name) =>
    readFileSync(new URL(`../../../../../docs/${name}.md`, import.meta.url), 'utf8'),
  );
  // Each segment keeps the whole text, so the texts are short.
  for (const line of sampleOf(
    pages.flatMap((page) => page.split('\n')),
    300,
  )) {
    const cut = [...segmenter.segment(line)].flatMap(({ segment, isWordLike }) =>
      isWordLike ? segment.split(/[\p{P}\p{S}]+/u) : [],
    );
    // Numbers other than digits are words of ours, but not of Intl.Segmenter.
    expect(words(line).filter((word) => !/^\p{No}+$/u.test(word))).toEqual(cut.filter((word) => word !== ''));
  }
});

test('bytes that are not UTF-8 are letters, and any bytes are read', async () => {
  const near = await NearDetector.create({ memory: '1MiB' });
  const latin1 = (text: string) => Buffer.from(text, 'latin1');
  near.observe(latin1('déjà vu, un été à la mer'));
  expect(near.observe(latin1('DéJà VU: un été... à la mer')).bands).toBe(near.settings.bands);
  expect(near.observe(latin1('déja vu, un été à la mer')).verdict).toBe('distinct');
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      // A document has the same answer wherever it lies, and whatever follows it.
      near.observe(bytes);
      near.test(Uint8Array.from({ length: 100 }, (_, i) => 0x80 + i));
      expect(near.test(bytes).bands).toBe(near.settings.bands);
    }),
  );
});
