import { useWords } from '../words/words.ts';
import { Control } from './control.tsx';
import styles from './form.module.css';
import { isComputed, kindOf, type Schema, titleOf } from './schema.ts';
import { words } from './words.ts';

export type Values = Readonly<Record<string, unknown>>;

/** The fields of a schema, in its order. What is not asked for is shown, unless it is left out. */
export function SchemaForm({
  schema,
  values,
  onChange,
  problems = {},
  isEditable = () => true,
  isShown = () => true,
}: {
  readonly schema: Schema;
  readonly values: Values;
  readonly onChange: (name: string, value: unknown) => void;
  /** What is wrong, by property. */
  readonly problems?: Readonly<Record<string, string>>;
  readonly isEditable?: (name: string) => boolean;
  readonly isShown?: (name: string) => boolean;
}) {
  const t = useWords(words);
  return (
    <div className={styles['form']}>
      {schema.order.map((name) => {
        const property = schema.properties[name];
        if (property === undefined || !isShown(name)) return null;
        const computed = isComputed(name, property);
        const editable = !computed && isEditable(name);
        const kind = kindOf(property);
        const isWide = kind === 'long' || kind === 'json' || kind === 'reference';
        const hints = [
          property.description,
          property.isProtected === true && editable ? t.protectedHint : undefined,
          property.stored === undefined ? undefined : t.secretSet,
          computed ? t.computed : editable ? undefined : t.notYours,
        ].filter((hint) => hint !== undefined);
        return (
          <div key={name} className={isWide ? styles['wide'] : undefined}>
            <Control
              name={name}
              label={titleOf(name, property)}
              kind={kind}
              property={property}
              value={values[name]}
              onChange={(value) => onChange(name, value)}
              isReadOnly={!editable}
              hint={hints.length === 0 ? undefined : hints.join(' · ')}
              problem={problems[name]}
            />
          </div>
        );
      })}
    </div>
  );
}
