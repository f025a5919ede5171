/** A setting, or a part of the messages, that was omitted of a request because the model does not support it. */
export type RequestOmission = {
  what: string;
  reason: string;
  providerId: string;
  modelId: string;
  /**
   * True if the omitted part belongs to the messages: other calls may not contain such a part. False for an unsupported
   * option, which is omitted from every call.
   */
  isInMessages?: boolean;
};
