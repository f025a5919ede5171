import { Component } from "preact";
import type { ComponentChild, FunctionComponent } from "preact";

/** Returns a component that is rendered again only if one of its properties has changed. */
export function memo<Props extends object>(Shown: (props: Props) => ComponentChild): FunctionComponent<Props> {
  class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      const before: Props = this.props;
      const names = Object.keys({ ...before, ...next }) as (keyof Props)[];
      return names.some((name) => next[name] !== before[name]);
    }

    override render() {
      return <Shown {...this.props} />;
    }
  }
  return Memo as unknown as FunctionComponent<Props>;
}
