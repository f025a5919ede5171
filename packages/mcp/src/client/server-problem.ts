/** The known reason why a connection to an MCP server failed, worded to follow the server's name. */
export class ServerProblem {
  /** The reason of the failure, such as `sent a message of more than 10485760 bytes. …`. */
  text: string | undefined;

  /** Records the reason why the connection failed, and returns it as an error for the library. */
  note(text: string): Error {
    this.text = text;
    return new Error(`The server ${text}`);
  }
}

/** Returns the `ServerProblem` text for a message that is larger than `maxMessageBytes`. */
export function largeMessage(maxBytes: number): string {
  return `sent a message of more than ${maxBytes} bytes. If you trust it, raise maxMessageBytes.`;
}
