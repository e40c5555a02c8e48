// A stand-in for Amazon SQS: one queue in memory, with the protocol of the AWS SDK. It keeps a message until it is deleted.

import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Message {
  id: string;
  body: string;
  /** Whether a consumer has it. It is delivered again once the queue has nothing else. */
  isInFlight: boolean;
}

interface Request {
  MaxNumberOfMessages?: number;
  Entries?: { Id: string; ReceiptHandle: string }[];
}

export interface QueueStandIn {
  url: string;
  /** Messages that nobody has deleted. */
  readonly remaining: number;
  /** Messages that were delivered, each as often as it was. */
  readonly deliveries: number;
  /** Called before messages are deleted. They remain when it returns false, as when the request is lost. */
  onDelete: () => boolean;
  close(): Promise<void>;
}

function deliver(messages: Message[], most: number): object[] {
  if (messages.every(({ isInFlight }) => isInFlight)) for (const message of messages) message.isInFlight = false;
  const delivered = messages.filter(({ isInFlight }) => !isInFlight).slice(0, most);
  return delivered.map((message) => {
    message.isInFlight = true;
    const MD5OfBody = createHash('md5').update(message.body).digest('hex');
    return { MessageId: message.id, ReceiptHandle: message.id, Body: message.body, MD5OfBody };
  });
}

/** Starts a queue that has these messages. */
export async function startQueue(bodies: readonly string[]): Promise<QueueStandIn> {
  let messages = bodies.map((body): Message => ({ id: randomUUID(), body, isInFlight: false }));
  let deliveries = 0;
  const server = createServer(async (request, response) => {
    const { MaxNumberOfMessages = 1, Entries = [] } = (await json(request)) as Request;
    const answer = (content: object) => {
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(content));
    };
    if (request.headers['x-amz-target'] === 'AmazonSQS.ReceiveMessage') {
      const Messages = deliver(messages, MaxNumberOfMessages);
      deliveries += Messages.length;
      answer({ Messages });
    } else if (!queue.onDelete()) request.socket.destroy();
    else {
      messages = messages.filter(({ id }) => !Entries.some(({ ReceiptHandle }) => ReceiptHandle === id));
      answer({ Successful: Entries.map(({ Id }) => ({ Id })), Failed: [] });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const queue: QueueStandIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/1/orders`,
    get remaining() {
      return messages.length;
    },
    get deliveries() {
      return deliveries;
    },
    onDelete: () => true,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return queue;
}
