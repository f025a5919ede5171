import type { AddMessagesOptions, AddTurnOptions } from "../memory-options.ts";

/** Returns options that only agents give, for a call that states the options of a user. */
export function turnOptions(options: AddTurnOptions): AddMessagesOptions {
  return options;
}
