/** A setting, or a part of the messages, that was left out of a request because the model does not support it. */
export type Omission = {
  what: string;
  reason: string;
  providerId: string;
  modelId: string;
  /**
   * True for a part of the messages, which another call may not contain. An unsupported option is left out of every
   * call.
   */
  isInMessages?: boolean;
};
