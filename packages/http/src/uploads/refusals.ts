import { TroupeError } from "@troupe/core";

/** Why a form is not taken, for those who sent it. */
export function refuse(sentence: string): TroupeError {
  return new TroupeError("invalid_request", sentence);
}

/** The same for what is too much. */
export function refuseSize(sentence: string): TroupeError {
  return new TroupeError("payload_too_large", sentence);
}

/** A name that a client made up, as it may stand in a sentence. */
export function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 64));
}
