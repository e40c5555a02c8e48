// Defects of the worker that the tests must find: each replaces texts of the built package.

const COMMIT_OFFSETS =
  'await this.#transact(`commit`,callback=>producer.sendOffsetsToTransaction(places,consumer,REQUEST_MILLISECONDS,callback)),await';
const SEND_POINTERS = 'await this.#sendPointers(member,changed)';
const COMMIT = 'await member.commit(new Map(changed.map(({pointer:{partition,position}})=>[partition,position]))),';
const WITHOUT_POINTERS = [`await member.begin(),${SEND_POINTERS},`, 'await member.begin(),'];

/** Found by workers that are killed. */
export const defectsOfKills = {
  'the replay is left out': {
    file: 'kafka.cjs',
    changes: [
      ['this.#next=this.snapshot.offset,', 'this.#next=position,'],
      [
        'noted===void 0||noted.observed===replayed.observed&&noted.duplicates===replayed.duplicates',
        'noted===void 0||noted!==replayed',
      ],
    ],
  },
  'the pointer is outside the transaction': {
    file: 'kafka.cjs',
    changes: [
      WITHOUT_POINTERS,
      [
        COMMIT,
        `${COMMIT}await new Promise(done=>setTimeout(done,100)),await member.begin(),${SEND_POINTERS},${COMMIT}`,
      ],
    ],
  },
};

const SEND_POSITIONS = 'await this.#sendPositions(member,changed);';
const COMMIT_CUT = 'await member.commit(new Map(changed.map(({partition,position})=>[partition,position])));';

/** Found by workers that repartition, and are killed: positions and offsets are outside of the transaction. */
export const defectOfCuts = {
  file: 'kafka.cjs',
  changes: [
    [`await member.begin(),${SEND_POSITIONS}`, 'await member.begin();'],
    [
      COMMIT_CUT,
      `await member.commit(new Map);await new Promise(done=>setTimeout(done,100));await member.begin();${SEND_POSITIONS}${COMMIT_CUT}`,
    ],
  ],
};

/** Pauses are often within a transaction whose pointers are not sent yet: the next owner does not wait for it then. */
const LATE_POINTERS = [
  WITHOUT_POINTERS,
  [COMMIT, `await new Promise(done=>setTimeout(done,200)),${SEND_POINTERS},${COMMIT}`],
];

/**
 * Found by workers that are paused. The offsets have no id of a transaction, because the next owner would end that transaction: what is tested
 * is that the group refuses it.
 */
export const defectsOfPauses = {
  'the offsets are outside the transaction': {
    file: 'kafka.cjs',
    changes: [
      [COMMIT_OFFSETS, 'try{consumer.commit(places.map(({metadata,...place})=>place))}catch{}await'],
      ...LATE_POINTERS,
    ],
  },
  'the offsets are left out': { file: 'kafka.cjs', changes: [[COMMIT_OFFSETS, 'await'], ...LATE_POINTERS] },
};

/** Found by a new group that takes over from an old one, which starts again in between. */
export const defectsOfTakeovers = {
  'the old pointers are left as they are': {
    file: 'kafka.cjs',
    changes: [
      [
        'await member.send(oldOf.topic,placeOfPointer(oldOf,partition),takenRecord(pointerKey(oldOf.group,note),note))',
        'pointerKey(oldOf.group,note)',
      ],
    ],
  },
  'nothing is observed before': {
    file: 'kafka.cjs',
    changes: [['return await observeSilences(client,new Map(silences),observing),detectors', 'return detectors']],
  },
};

/** Found by a new group that takes over from one whose window was set back: that is not noted in the pointers. */
export const defectOfResets = {
  file: 'kafka.cjs',
  changes: [
    ['this.#points.push([offset,this.#records,from],[offset,this.#records,to]),this.#shown=to', 'this.#shown=to'],
  ],
};

/** Found by a backlog: no window is one in time for the first half. */
export const defectOfSteps = {
  file: 'kafka.cjs',
  changes: [['function stepOf(parameters){if(parameters.isTimed)', 'function stepOf(parameters){if(!parameters)']],
};

/** Found by records that are dated ahead. */
export const defectsOfTimes = {
  /** They move the window. */
  moved: {
    file: 'kafka.cjs',
    changes: [['return timestamp>timeMilliseconds?0:timestamp}return timestamp', 'return timestamp}return timestamp']],
  },
  /** Those before the first time of a window count as seen in 1970. */
  forgotten: {
    file: 'kafka.cjs',
    changes: [
      [
        'timeless>0&&(awaitTime(detector),detector.observePlacedTimed(timeless))',
        'timeless>0&&detector.observePlacedTimed(timeless)',
      ],
    ],
  },
};

/** Found by a transaction in the input that is open: what is committed is taken for all that there is. */
export const defectOfHoldups = {
  file: 'kafka.cjs',
  changes: [['if(high<=end||', 'if(high>=end||']],
};

/** Found by a backlog in many partitions: an answer of a broker is as large as the client's default lets it be. */
export const defectOfFetching = {
  file: 'kafka.cjs',
  changes: [['"fetch.max.bytes":Math.max(MAX_FETCHED_BYTES,messageBytes),', '']],
};
