/** A running server for tests. */
export type RunningService = {
  url: string;
  stop: () => Promise<void>;
};

/** A kind of server that can be started for tests. */
export type Service = {
  /** The name in `REQUIRED_SERVICES`. */
  name: string;
  /** The environment variable with the address for tests. If it is already set, that server is used. */
  variable: string;
  /**
   * Starts a server on a free port with an empty store. Installs it only if `mayInstall`. Throws `MissingServer` if it
   * is not installed.
   */
  start: (options: { mayInstall: boolean }) => Promise<RunningService>;
};

/** Thrown if a server is not installed. The message gives advice. */
export class MissingServer extends Error {}
