/** A setting, or a part of the messages, that was omitted of a request because the model does not support it. */
export type RequestOmission = {
  what: string;
  reason: string;
  providerId: string;
  modelId: string;
  /**
   * True for a part of the messages, which other calls may not contain. An unsupported option is omitted from every
   * call.
   */
  isInMessages?: boolean;
};
