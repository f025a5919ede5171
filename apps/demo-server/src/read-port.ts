import { TroupeError } from "@troupe/core";

/** The port named by the environment, 3000 when none is. */
export function readPort(text: string | undefined): number {
  if (text === undefined || text === "") return 3000;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535 && /^\d+$/.test(text)) return port;
  throw new TroupeError("invalid_config", `PORT must be a whole number from 0 to 65535, not ${JSON.stringify(text)}.`);
}
