import type { ServiceFailure, ServiceReply } from "@troupe-internal/toolkit";
import { readObject } from "@troupe/core/kit";

const tokenExpired: ServiceFailure = {
  problem: "credential_refused",
  happened: "refused the access token, which is wrong, expired or revoked",
  advice: "Calling again does not help: a new accessToken has to be configured, best a permanent one of a system user.",
};
const noPermission: ServiceFailure = {
  problem: "forbidden",
  happened: "refused the request because the access token lacks a permission",
  advice: "Give the token whatsapp_business_messaging, and access to the account of the number.",
};
const tooMany: ServiceFailure = {
  problem: "rate_limited",
  happened: "refused the message because too many were sent",
  advice: "Wait some minutes before the next message.",
};
const tooManyToOne: ServiceFailure = {
  ...tooMany,
  happened: "refused the message because too many were sent to this recipient",
};
const wrongParameter: ServiceFailure = {
  problem: "refused",
  happened: "refused an argument of the message",
  advice:
    "Check the recipient, the text, and of a template its name, language and parameters. phoneNumberId and version may be wrong, too.",
};
const account: ServiceFailure = {
  problem: "forbidden",
  happened: "does not let this account send messages: it is restricted, locked or has broken a policy",
  advice: "Calling again does not help: the operator finds the reason in the WhatsApp Manager.",
};
const notRegistered: ServiceFailure = {
  problem: "forbidden",
  happened: "has not registered the number that sends",
  advice: "Calling again does not help: the operator has to register the number of phoneNumberId.",
};
const noWindow: ServiceFailure = {
  problem: "refused",
  happened: "takes a free text only within 24 hours after the recipient's last message",
  advice: "Send an approved template with whatsapp_send_template.",
};
const temporary: ServiceFailure = { problem: "unavailable", advice: "Try again in some minutes." };

/** Failures of tool calls, by the error codes of the Graph API. */
const failures: ReadonlyMap<number, ServiceFailure> = new Map([
  [0, tokenExpired],
  [190, tokenExpired],
  [3, noPermission],
  [10, noPermission],
  [131005, noPermission],
  [2, temporary],
  [131016, temporary],
  [131057, temporary],
  [4, tooMany],
  [80007, tooMany],
  [130429, tooMany],
  [131048, tooMany],
  [131056, tooManyToOne],
  [
    33,
    {
      ...wrongParameter,
      happened: "knows no number of this phoneNumberId",
      advice: "Check phoneNumberId: it is the id of the number, not the number.",
    },
  ],
  [100, wrongParameter],
  [131008, { ...wrongParameter, happened: "misses a parameter of the message" }],
  [131009, wrongParameter],
  [131051, wrongParameter],
  [
    131021,
    {
      ...wrongParameter,
      happened: "does not send a message to the number that sends it",
      advice: "Use another recipient.",
    },
  ],
  [
    131026,
    {
      problem: "refused",
      happened: "cannot deliver to this recipient",
      advice: "The number may have no WhatsApp, or not have accepted its terms. Check the number, or use another way.",
    },
  ],
  [
    131030,
    {
      problem: "forbidden",
      happened: "sends from a test number only to recipients on its list",
      advice: "Calling again does not help: the operator has to add the recipient to the list, or use a real number.",
    },
  ],
  [131047, noWindow],
  [
    131049,
    {
      problem: "refused",
      happened: "did not deliver the message, to protect the recipient from too many marketing messages",
      advice: "Do not send it again within 24 hours.",
    },
  ],
  [
    131050,
    {
      problem: "forbidden",
      happened: "sends no marketing messages to this recipient, who has stopped them",
      advice: "Do not send it again.",
    },
  ],
  [
    130472,
    {
      problem: "forbidden",
      happened: "did not send the message, because the recipient is part of an experiment",
      advice: "Use another way to reach the recipient.",
    },
  ],
  [368, account],
  [131031, account],
  [130497, { ...account, happened: "does not let this account send to the recipient's country" }],
  [
    131042,
    {
      ...account,
      happened: "refused the message because of the payment method of the account",
      advice: "Calling again does not help: the operator has to mend the payment method.",
    },
  ],
  [131037, notRegistered],
  [131045, notRegistered],
  [133010, notRegistered],
  [
    132000,
    {
      problem: "refused",
      happened: "got another number of parameters than the template has",
      advice: "Pass as many parameters as the template has, in each part of it.",
    },
  ],
  [
    132001,
    {
      problem: "not_found",
      happened: "has no approved template of this name in this language",
      advice: "Check name and language, to the letter, such as order_update and en_US.",
    },
  ],
  [
    132005,
    {
      problem: "refused",
      happened: "refused the template because its text becomes too long",
      advice: "Use shorter parameters.",
    },
  ],
  [
    132007,
    {
      problem: "refused",
      happened: "refused the template because it breaks a policy",
      advice: "Use another template.",
    },
  ],
  [
    132012,
    {
      problem: "refused",
      happened: "got parameters of another kind than the template has",
      advice: "Check the parameters of each part: with names for a template that has names, without for others.",
    },
  ],
  [
    132015,
    {
      problem: "refused",
      happened: "has paused the template because of its low quality",
      advice: "Use another template.",
    },
  ],
  [
    132016,
    {
      problem: "refused",
      happened: "has switched off the template because of its low quality",
      advice: "Use another template.",
    },
  ],
]);

/**
 * Returns the meaning of an error reply of WhatsApp, by the code of its error. Returns `undefined` if the code is
 * unknown.
 */
export function explainGraphError(reply: ServiceReply): ServiceFailure | undefined {
  const error = readObject(readObject(reply.tryJson())["error"]);
  const { code, error_subcode: subcode } = error;
  if (typeof code !== "number") return undefined;
  if (code === 100 && subcode === 33) return failures.get(33);
  if (code >= 200 && code <= 299) return noPermission;
  return failures.get(code);
}
