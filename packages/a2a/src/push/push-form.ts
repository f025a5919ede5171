import type { Json } from "@troupe/core";
import type { SubscribedEvent, NotificationFormat } from "@troupe/core/runs";
import type { NotificationBody } from "../wire/dialect.ts";
import { dialectOfVersion } from "../wire/parse-call.ts";
import type { PushConfig } from "../wire/push-config.ts";
import type { PushSettings } from "./push-options.ts";
import type { PushSigner } from "./push-signer.ts";
import { toNotifications } from "./task-notifier.ts";

/** Writes one notification of an event. */
type WriteNotification = ReturnType<NotificationFormat["notify"]>[number];

/** A push config as stored in its subscription, with the A2A version of the request that set it. */
export type KeptConfig = { readonly version: string; readonly config: PushConfig & { readonly id: string } };

/**
 * The form of A2A's push notifications. Bodies have the version of the push config, and requests its token, its
 * credentials and a signature.
 */
export class PushForm implements NotificationFormat {
  readonly settings: PushSettings;
  readonly #signer: PushSigner;

  constructor(settings: PushSettings, signer: PushSigner) {
    this.settings = settings;
    this.#signer = signer;
  }

  notify(subscribed: SubscribedEvent, data: Json): readonly WriteNotification[] {
    const { version, config } = data as KeptConfig;
    const dialect = dialectOfVersion(version);
    const { runId } = subscribed.run;
    return toNotifications(subscribed, dialect).flatMap(({ event, task }) => {
      const written = dialect.writeNotification(event, task);
      return written === undefined ? [] : [(id) => this.#toRequest(written, config, { taskId: runId, id })];
    });
  }

  #toRequest(
    { contentType, body: content }: NotificationBody,
    { url, token, scheme, credentials }: PushConfig,
    ids: { taskId: string; id: string },
  ): ReturnType<WriteNotification> {
    const body = JSON.stringify(content);
    const signature = this.#signer.sign({ body, url, ...ids });
    const headers = {
      "Content-Type": contentType,
      "X-A2A-Notification-Signature": signature,
      Authorization: credentials === undefined ? `Bearer ${signature}` : `${scheme ?? "Bearer"} ${credentials}`,
      ...(token !== undefined && { "X-A2A-Notification-Token": token }),
    };
    return { url, headers, body };
  }
}
