import { Component, type ReactElement, type ReactNode } from "react";

interface BoundaryProps {
  /** What is drawn: after a failure, another value is tried anew. */
  readonly of: unknown;
  /** Drawn in place of what failed. */
  readonly fallback: (error: unknown) => ReactElement;
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly failed: { readonly error: unknown; readonly of: unknown } | null;
}

/** Keeps a failure of what it draws to itself: the rest of the screen stays. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { failed: null };

  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    return { failed: { error, of: undefined } };
  }

  static getDerivedStateFromProps({ of }: BoundaryProps, { failed }: BoundaryState) {
    if (failed === null || failed.of === of) return null;
    return { failed: failed.of === undefined ? { ...failed, of } : null };
  }

  override render(): ReactNode {
    const { failed } = this.state;
    return failed === null ? this.props.children : this.props.fallback(failed.error);
  }
}
