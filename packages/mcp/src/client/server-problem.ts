/** The known reason why a connection to an MCP server failed. */
export class ServerProblem {
  /**
   * The reason of the failure as the end of a sentence that begins with the server's name, such as `sent a message of
   * more than 10485760 bytes. …`.
   */
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
