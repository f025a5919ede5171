import type { InspectedDelivery } from "../../src/inspector/inspected-run.ts";
import { formatCount } from "../ui/format.ts";
import { toVisible } from "../ui/unseen.ts";
import { locale, strings } from "../strings/strings.ts";

/** The deliveries of a run's events to webhooks and subscriptions: each request and its outcome. */
export function Deliveries({ deliveries }: { deliveries: readonly InspectedDelivery[] }) {
  return (
    <details class="raw">
      <summary>
        {strings.inspector.webhooks} <small>{formatCount(deliveries.length)}</small>
      </summary>
      <ol tabIndex={0} aria-label={strings.inspector.deliveries}>
        {deliveries.map((delivery) => (
          <li key={delivery.id}>
            <code>{new Date(delivery.at).toLocaleString(locale)}</code> <b>{delivery.type}</b>{" "}
            <span>{describe(delivery)}</span> <code>{toVisible(delivery.id)}</code>
          </li>
        ))}
      </ol>
    </details>
  );
}

const receivers = {
  run: strings.inspector.ofRun,
  service: strings.inspector.ofService,
  subscription: strings.inspector.ofSubscription,
} as const;

function describe({ webhook, status, attempts, problem, nextAt }: InspectedDelivery): string {
  const to = receivers[webhook];
  const tries = strings.inspector.tries(attempts);
  const last = problem === undefined ? "" : strings.inspector.lastProblem(toVisible(problem));
  const next =
    nextAt === undefined || attempts === 0 ? "" : strings.inspector.nextAt(new Date(nextAt).toLocaleTimeString(locale));
  return `${strings.inspector.deliveryStatuses[status]} ${to}, ${tries}${last}${next}`;
}
