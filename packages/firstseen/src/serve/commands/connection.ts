// The commands that clients send when they connect.

import { ErrorReply, OK, type Reply, Status } from '../resp/replies.js';
import { type Session, startOf } from '../session.js';
import type { Arguments } from './arguments.js';
import { NOT_WHOLE, SYNTAX_ERROR } from './errors.js';
import type { CommandContext, SingleRow } from './row.js';
import { type Subcommands, withSubcommands } from './subcommands.js';

const WRONG_PASSWORD = new ErrorReply('WRONGPASS invalid username-password pair or user is disabled.');
const NO_PASSWORD = new ErrorReply(
  'ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?',
);
const NO_PROTOCOL = new ErrorReply('NOPROTO unsupported protocol version');
const DEFAULT_USER = 'default';

/** Gives a session its role. @returns an error for a wrong password */
function logIn({ session, server }: CommandContext, user: string, password: string): ErrorReply | undefined {
  const { authenticate } = server;
  if (authenticate === undefined) return user === DEFAULT_USER ? undefined : WRONG_PASSWORD;
  const role = authenticate(user, password);
  if (role === undefined) return WRONG_PASSWORD;
  session.role = role;
  session.limits = server.requestLimits;
  return undefined;
}

function isName(text: string): boolean {
  return /^[!-~]*$/.test(text);
}

const BAD_NAME = new ErrorReply('ERR Client names cannot contain spaces, newlines or special characters.');

/** The options of HELLO besides the version. */
interface HelloOptions {
  user?: string;
  password?: string;
  name?: string;
}

function helloOptions(command: Arguments): HelloOptions | ErrorReply {
  const options: HelloOptions = {};
  for (let i = 2; i < command.count; ) {
    if (command.is(i, 'AUTH') && i + 2 < command.count) {
      options.user = command.text(i + 1);
      options.password = command.text(i + 2);
      i += 3;
    } else if (command.is(i, 'SETNAME') && i + 1 < command.count) {
      options.name = command.text(i + 1);
      i += 2;
    } else return new ErrorReply(`ERR Syntax error in HELLO option '${command.text(i)}'`);
  }
  return options;
}

function greeting({ id, protocol }: Session, version: string): Reply {
  return new Map<string, Reply>([
    ['server', 'firstseen'],
    ['version', version],
    ['proto', protocol],
    ['id', id],
    ['mode', 'standalone'],
    ['role', 'master'],
    ['modules', []],
  ]);
}

function hello(command: Arguments, context: CommandContext): Reply {
  const { session, server } = context;
  const version = command.count > 1 ? command.whole(1) : session.protocol;
  if (version === undefined) return new ErrorReply('ERR Protocol version is not an integer or out of range');
  if (version !== 2 && version !== 3) return NO_PROTOCOL;
  const options = helloOptions(command);
  if (options instanceof ErrorReply) return options;
  if (options.user !== undefined) {
    const refusal = logIn(context, options.user, options.password as string);
    if (refusal) return refusal;
  }
  if (session.role === 'none') {
    return new ErrorReply(
      'NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> ' +
        'option can be used to authenticate the client and select the RESP protocol version at the same time',
    );
  }
  if (options.name !== undefined) {
    if (!isName(options.name)) return BAD_NAME;
    session.name = options.name;
  }
  session.protocol = version;
  return greeting(session, server.version);
}

function auth(command: Arguments, context: CommandContext): Reply {
  if (command.count > 3) return SYNTAX_ERROR;
  if (command.count === 2 && context.server.authenticate === undefined) return NO_PASSWORD;
  const [user, password] = command.count === 2 ? [DEFAULT_USER, command.text(1)] : [command.text(1), command.text(2)];
  return logIn(context, user, password) ?? OK;
}

/** A client as CLIENT INFO and CLIENT LIST show it. */
function clientLine({ id, address, name, openedAt, library, protocol }: Session): string {
  const age = Math.floor((Date.now() - openedAt) / 1000);
  return `id=${id} addr=${address} name=${name} age=${age} db=0 resp=${protocol} lib-name=${library.name} lib-ver=${library.version}`;
}

function setInfo(command: Arguments, { session }: CommandContext): Reply {
  const value = command.text(3);
  if (!isName(value))
    return new ErrorReply(`ERR ${command.text(2)} cannot contain spaces, newlines or special characters.`);
  if (command.is(2, 'LIB-NAME')) session.library.name = value;
  else if (command.is(2, 'LIB-VER')) session.library.version = value;
  else return new ErrorReply(`ERR Unrecognized option '${command.text(2)}'`);
  return OK;
}

function setName(command: Arguments, { session }: CommandContext): Reply {
  if (!isName(command.text(2))) return BAD_NAME;
  session.name = command.text(2);
  return OK;
}

function isSwitch(command: Arguments): Reply {
  return command.is(2, 'ON') || command.is(2, 'OFF') ? OK : SYNTAX_ERROR;
}

const clientCommands: Subcommands = {
  SETINFO: {
    usage: '<LIB-NAME name | LIB-VER version>',
    summary: 'sets the name and the version of the client library',
    arguments: [2, 2],
    run: setInfo,
  },
  SETNAME: { usage: '<name>', summary: 'names the connection', arguments: [1, 1], run: setName },
  GETNAME: {
    summary: 'answers the name of the connection',
    arguments: [0, 0],
    run: (_given, { session }) => session.name || null,
  },
  ID: { summary: 'answers the number of the connection', arguments: [0, 0], run: (_given, { session }) => session.id },
  INFO: {
    summary: 'tells about the connection',
    arguments: [0, 0],
    run: (_given, { session }) => `${clientLine(session)}\n`,
  },
  LIST: {
    summary: 'tells about all connections',
    arguments: [0],
    run: (_given, { server }) => [...server.sessions.values()].map((session) => `${clientLine(session)}\n`).join(''),
  },
  'NO-EVICT': { usage: '<ON|OFF>', summary: 'answers OK, and changes nothing', arguments: [1, 1], run: isSwitch },
  'NO-TOUCH': {
    usage: '<ON|OFF>',
    summary: 'answers OK: no key has a time of access',
    arguments: [1, 1],
    run: isSwitch,
  },
};

function reset({ session, server }: CommandContext): Reply {
  Object.assign(session, startOf(server), { name: '' });
  return new Status('RESET');
}

export const connectionRows: readonly SingleRow[] = [
  {
    name: 'HELLO',
    usage: '[version [AUTH user password] [SETNAME name]]',
    summary: 'chooses the version of the protocol, and authenticates',
    isWhileLoading: true,
    role: 'none',
    arguments: [0],
    run: hello,
  },
  {
    name: 'AUTH',
    usage: '[user] password',
    summary: 'authenticates the client',
    isWhileLoading: true,
    role: 'none',
    arguments: [1],
    run: auth,
  },
  {
    name: 'PING',
    usage: '[message]',
    summary: 'answers PONG, or the message',
    role: 'read',
    arguments: [0, 1],
    run: (command) => (command.count === 1 ? new Status('PONG') : Buffer.from(command.bytes(1))),
  },
  {
    name: 'ECHO',
    usage: 'message',
    summary: 'answers the message',
    isWhileLoading: true,
    role: 'read',
    arguments: [1, 1],
    run: (command) => Buffer.from(command.bytes(1)),
  },
  {
    name: 'SELECT',
    usage: '0',
    summary: 'chooses the one database',
    isWhileLoading: true,
    role: 'read',
    arguments: [1, 1],
    run(command) {
      const index = command.whole(1);
      if (index === undefined) return NOT_WHOLE;
      return index === 0 ? OK : new ErrorReply('ERR DB index is out of range');
    },
  },
  {
    name: 'CLIENT',
    summary: 'names the client, or lists the clients',
    replies: [{ usage: 'LIST', reply: 'a line for each client' }],
    isWhileLoading: true,
    role: 'read',
    ...withSubcommands(clientCommands),
  },
  {
    name: 'RESET',
    usage: '',
    summary: 'resets the connection to the state in which it was opened',
    isWhileLoading: true,
    role: 'none',
    isImmediate: true,
    arguments: [0, 0],
    run: (_given, context) => reset(context),
  },
  {
    name: 'QUIT',
    usage: '',
    summary: 'closes the connection',
    isWhileLoading: true,
    role: 'none',
    isImmediate: true,
    arguments: [0],
    run(_given, { session }) {
      session.isClosing = true;
      return OK;
    },
  },
];
