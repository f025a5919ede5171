/** What is known of why a connection to a server fails: a text that follows the server's name in an error. */
export class ServerProblem {
  /** The reason, such as `sent a message of more than 10485760 bytes. …`. */
  text: string | undefined;

  /** Notes a reason, and returns it as an error for the library. */
  note(text: string): Error {
    this.text = text;
    return new Error(`The server ${text}`);
  }
}

/** The reason of a message that is larger than `maxMessageBytes`. */
export function largeMessage(maxBytes: number): string {
  return `sent a message of more than ${maxBytes} bytes. If you trust it, raise maxMessageBytes.`;
}
