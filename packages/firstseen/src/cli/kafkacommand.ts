// `firstseen kafka`: a worker between topics of Kafka. What it does is loaded when it is run.

import type { Command } from 'commander';
import { kafkaRows } from '../options/kafka.js';
import { flagFor, givenValues } from './options.js';
import { stopListener } from './signals.js';

const AFTER_HELP = `
Example:
  firstseen kafka --brokers localhost:9092 --input events --output events.first -k id --window 1h --group dedup --state dedup`;

export function addKafkaCommand(program: Command): void {
  const command = program
    .command('kafka')
    .description('write the first occurrences of a topic of Kafka to another one, exactly once')
    .allowExcessArguments(false)
    .addHelpText('after', AFTER_HELP);
  for (const row of kafkaRows) command.addOption(flagFor(row));
  command.action(async () => {
    const stop = stopListener();
    // First, because the signal ends a process that does not handle it, and what the worker is made of is loaded for a while.
    stop.listen();
    await (await import('./kafka.js')).runKafka(givenValues(command, kafkaRows), stop);
  });
}
