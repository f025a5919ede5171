/** A running server for tests. */
export type RunningService = {
  url: string;
  stop: () => Promise<void>;
};

/** A kind of server that can be started for tests. */
export type Service = {
  /** Name in `REQUIRED_SERVICES`. */
  name: string;
  /** Environment variable with the address for tests. When it is set already, that server is used. */
  variable: string;
  /**
   * Starts a server on a free port with an empty store. Installs it only when it may; throws `MissingServer` when it is not
   * installed.
   */
  start: (options: { mayInstall: boolean }) => Promise<RunningService>;
};

/** Thrown when a server is not installed. The message tells how to mend it. */
export class MissingServer extends Error {}
