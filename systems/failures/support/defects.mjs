// Defects of the server that the tests must find: each replaces texts of the built server.

export const defects = {
  'the sync is left out': {
    file: 'serve.cjs',
    changes: [['sync(){return syncData(this.#descriptor)}', 'sync(){return Promise.resolve()}']],
    kills: { hasPowerLoss: true, moment: 'any moment' },
  },
  'a detector that was sent is not synced': {
    file: 'serve.cjs',
    changes: [['await verified(written(),check),await file.sync()', 'await verified(written(),check)']],
    kills: { hasPowerLoss: true, moment: 'after a detector was sent' },
  },
  'replies are sent before the log is written': {
    file: 'serve.cjs',
    changes: [
      [
        'whenSafe(callback,usesDetectors){return this.#journal?.whenSafe(callback,usesDetectors)??!1}',
        'whenSafe(){return !1}',
      ],
    ],
    kills: { hasPowerLoss: true, moment: 'any moment' },
  },
  'the log is dropped before the snapshots have their name': {
    file: 'serve.cjs',
    changes: [
      [
        'await this.#compactor.compact({folder,from:this.#snapshot,to,part:this.#lock.part,isUrgent}),checkHeld(folder,this.#lock),await this.#dropBefore(to)',
        // Without the check that the snapshots are there, which would end the compaction.
        'await(async from=>{await removeEarlier(folder,to),await this.#compactor.compact({folder,from,to,part:this.#lock.part,isUrgent}),await this.#dropBefore(to)})(this.#snapshot)',
      ],
    ],
    kills: { moment: 'while the log is compacted' },
  },
};

/** A change is made though the disk may have no space to log it. */
export const noSpaceIsTaken = {
  file: 'serve.cjs',
  changes: [['reserve(bytes){let end=this.#bytes+bytes;for(', 'reserve(){let end=0;for(']],
};

/** A start makes the data folder that it should miss. */
export const dataIsNotRequired = {
  file: 'serve.cjs',
  changes: [['static async open(folder,isRequired=!1){', 'static async open(folder){let isRequired=!1;']],
};

/** A process that writes snapshots and stands still is given up, and goes on after that. */
export const standsStillForEver = {
  file: 'serve.cjs',
  changes: [['reject(error),controller.abort(error)', 'reject(error)']],
};

/** Whose claim it is does not count. */
export const tokenIsNotCompared = {
  file: 'serve.cjs',
  changes: [['return lease&&each.holds(lease,index)?lease:void 0', 'return lease']],
};
