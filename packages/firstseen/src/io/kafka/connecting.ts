// Connects the clients of librdkafka, and tells what they say of themselves. The error of a connection does not have its cause: it is in
// what the client logs.

import { type FirstseenError, optionName, type Phrase, phrase } from '../../base/errors.js';
import { Stopped } from './contract.js';
import { isPassing, kafkaError } from './errors.js';
import { called, logText, type RdClient, type RdError, type RdLog } from './rdkafka.js';

/**
 * The time of an attempt. A user or a certificate that is refused ends a connection after the first one: a request to the cluster cannot be
 * ended earlier, also by a signal.
 */
const ATTEMPT_MILLISECONDS = 5000;
/** Attempts for brokers that do not answer yet. */
const MAX_ATTEMPTS = 6;

/** A line about a connection that failed: the address, the cause, and how long it took. */
const FAILED = /^(\S+): (.*?)(?: \(after \d+ms in state .*\))?$/s;

/**
 * The guess of the client about a broker that has not answered its first request. Brokers that hang are many, and those
 * of 2015 are few.
 */
const OLD_BROKER = /ApiVersionRequest failed: (.*?): probably due to broker version.*$/s;

/** The guess of the client about a producer whose transactions the brokers have ended, as they do for a topic that was removed. */
const FENCED = /(?:Local: )?this instance has been fenced by a newer instance/i;

/** Returns a message of the client without its guesses. */
export function withoutGuess(message: string): string {
  return message
    .replace(OLD_BROKER, 'the broker takes connections, and does not answer the first request: $1')
    .replace(
      FENCED,
      'the brokers refuse this producer from now on, because a topic was removed, brokers have changed, or another worker has its name',
    );
}

/**
 * The patterns of causes in the client's messages, and their remedies. Brokers that are there and refuse are not waited
 * for.
 */
const causes: readonly { pattern: RegExp; isRefusal: boolean; remedy: Phrase }[] = [
  {
    pattern: /^SASL .*(mechanism handshake failed|Unsupported SASL mechanism)/s,
    isRefusal: true,
    remedy: phrase`give a mechanism of the brokers as ${optionName('saslMechanism')}`,
  },
  {
    pattern: /^SASL /,
    isRefusal: true,
    remedy: phrase`check ${optionName('saslUser')}, the password in the file of ${optionName('saslPasswordFile')}, and ${optionName('saslMechanism')}`,
  },
  {
    pattern: /certificate verify failed/,
    isRefusal: true,
    remedy: phrase`give the authority that signed the certificates of the brokers as ${optionName('tlsCa')}, and addresses that are in these certificates as ${optionName('brokers')}`,
  },
  {
    pattern: /alert|certificate/,
    isRefusal: true,
    remedy: phrase`give a certificate that the brokers accept, and its key, as ${optionName('tlsCert')} and ${optionName('tlsKey')}`,
  },
  {
    pattern: /PLAINTEXT broker listener/,
    isRefusal: true,
    remedy: phrase`give the address of a listener with TLS as ${optionName('brokers')}, or leave out the options of TLS`,
  },
  {
    pattern: /does not answer the first request/,
    isRefusal: false,
    remedy: phrase`check that the brokers work, and that ${optionName('brokers')} is an address of a broker`,
  },
  {
    pattern: /closed by peer/,
    isRefusal: false,
    remedy: phrase`check whether this listener of the brokers needs ${optionName('isEncrypted')}, or ${optionName('saslUser')}`,
  },
];

const otherCause = {
  isRefusal: false,
  remedy: phrase`check ${optionName('brokers')}, and the options of TLS and of the user`,
};

/** The remedy where no broker was asked yet: a file or a property is wrong. */
const ownFault = phrase`check that the files of ${optionName('tlsCa')}, ${optionName('tlsCert')} and ${optionName('tlsKey')} are PEM, and the password of ${optionName('saslPasswordFile')}`;

/**
 * The messages of the client about properties that contradict each other. Their names are its own, and no options of
 * this program give them.
 */
const ofProperties = /`[a-z][a-z0-9.]*`|^sasl\./;

const wrongProperties = phrase`correct the properties that ${optionName('config')} gives`;

function ownRemedy(error: unknown): Phrase {
  return ofProperties.test((error as Error).message) ? wrongProperties : ownFault;
}

function causeOf(reason: string) {
  return causes.find(({ pattern }) => pattern.test(reason)) ?? otherCause;
}

function withCause(problem: string, cause: string | undefined): string {
  return cause === undefined ? problem : `${problem}: ${cause}`;
}

/** A client that is connected by `connect`, and then tells what goes wrong. */
export class Connection {
  readonly #client: Pick<RdClient, 'connect' | 'on'>;
  readonly #tell: (message: string) => void;
  #address = '';
  /** The reason why the last connection failed. */
  #reason = '';
  #isConnected = false;

  constructor(client: Pick<RdClient, 'connect' | 'on'>, tell: (message: string) => void) {
    this.#client = client;
    this.#tell = tell;
    const onLog = (log: RdLog) => {
      const [, address, reason] = (log.fac === 'FAIL' && FAILED.exec(logText(log))) || [];
      if (address !== undefined && reason !== undefined)
        [this.#address, this.#reason] = [address, withoutGuess(reason)];
    };
    const onError = ({ message }: RdError) => {
      // Until then, the error of the connection says it.
      if (this.#isConnected) this.#tell(withCause(`Kafka: ${withoutGuess(message)}`, this.#cause));
    };
    client.on('event.log', onLog as (value: never) => void);
    client.on('event.error', onError as (value: never) => void);
  }

  /** The known cause. */
  get #cause(): string | undefined {
    return this.#reason === '' ? undefined : `${this.#address}: ${this.#reason}`;
  }

  /**
   * @param signal ends the attempts
   * @throws FirstseenError E_KAFKA when no broker answers, or those that do refuse
   */
  async connect(signal?: AbortSignal): Promise<void> {
    for (let attempt = 1; !this.#isConnected; attempt++) {
      if (signal?.aborted) throw kafkaError('no broker is asked', new Stopped());
      try {
        await called((callback) => this.#client.connect({ timeout: ATTEMPT_MILLISECONDS }, callback));
        this.#isConnected = true;
      } catch (error) {
        const isRefusal = causeOf(this.#reason).isRefusal || !isPassing(error);
        if (isRefusal || attempt === MAX_ATTEMPTS || signal?.aborted) throw this.#error(error);
        if (attempt === 1) this.#tell(withCause('no broker answers yet', this.#cause));
      }
    }
  }

  #error(error: unknown): FirstseenError {
    if (this.#cause === undefined && !isPassing(error))
      return kafkaError('the client of Kafka cannot begin', error, ownRemedy(error));
    const { isRefusal, remedy } = causeOf(this.#reason);
    const cause = this.#cause === undefined ? error : new Error(this.#cause, { cause: error });
    return kafkaError(isRefusal ? 'the brokers cannot be used' : 'no broker answers', cause, remedy);
  }
}
