interface ViewChoiceProps<T extends string> {
  readonly views: readonly T[];
  readonly chosen: T;
  readonly onChoose: (view: T) => void;
}

/** Which view to show. */
export function ViewChoice<T extends string>({ views, chosen, onChoose }: ViewChoiceProps<T>) {
  return (
    <select
      aria-label="View"
      value={chosen}
      onChange={(event) => {
        const view = views.find((name) => name === event.target.value);
        if (view !== undefined) onChoose(view);
      }}
    >
      {views.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}
