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
        const found = views.find((each) => each === event.target.value);
        if (found !== undefined) onChoose(found);
      }}
    >
      {views.map((each) => (
        <option key={each}>{each}</option>
      ))}
    </select>
  );
}
