import type { InspectedDelivery } from "../../src/inspector/inspected-run.ts";
import { formatCount } from "../ui/format.ts";
import { toVisible } from "../ui/unseen.ts";
import { locale } from "../strings/strings.ts";
import { inspectorStrings } from "../strings/inspector-strings.ts";

/** The deliveries of a run's events to webhooks and subscriptions: each request and its outcome. */
export function Deliveries({ deliveries }: { deliveries: readonly InspectedDelivery[] }) {
  return (
    <details class="raw">
      <summary>
        {inspectorStrings.webhooks} <small>{formatCount(deliveries.length)}</small>
      </summary>
      <ol tabIndex={0} aria-label={inspectorStrings.deliveries}>
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
  run: inspectorStrings.ofRun,
  service: inspectorStrings.ofService,
  subscription: inspectorStrings.ofSubscription,
} as const;

function describe({ webhook, status, attempts, problem, nextAt }: InspectedDelivery): string {
  const to = receivers[webhook];
  const tries = inspectorStrings.tries(attempts);
  const last = problem === undefined ? "" : inspectorStrings.lastProblem(toVisible(problem));
  const next =
    nextAt === undefined || attempts === 0 ? "" : inspectorStrings.nextAt(new Date(nextAt).toLocaleTimeString(locale));
  return `${inspectorStrings.deliveryStatuses[status]} ${to}, ${tries}${last}${next}`;
}
