/** A server that tests talk to. */
export type RunningService = {
  url: string;
  stop: () => Promise<void>;
};

/** How a server of one kind is had: a given address first, else one started here. */
export type Service = {
  /** The environment variable that hands tests the address; set beforehand, that server is used. */
  variable: string;
  /** The program that is needed, and the Debian package that brings it. */
  program: string;
  debianPackage: string;
  /** Starts a server of its own, on a free port and with an empty store. */
  start: (program: string) => Promise<RunningService>;
};
