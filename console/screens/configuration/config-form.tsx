import type { JsonObject } from '#client/index.ts';
import { Control } from '../../form/control.tsx';
import { kindOf, type Property } from '../../form/schema.ts';
import { Card, Loaded } from '../../parts/page.tsx';
import { useWords } from '../../words/words.ts';
import styles from './configuration.module.css';
import { type Field, groupsOf, valueAt, withValue } from './fields.ts';
import { useSchema } from './names.ts';
import { words } from './words.ts';

/** A configuration as fields, as the schema of its kind has them; what that does not name stays as it is in the text. */
export function ConfigForm({
  id,
  content,
  onChange,
}: {
  readonly id: string;
  readonly content: JsonObject;
  readonly onChange: (content: JsonObject) => void;
}) {
  const t = useWords(words);
  const schema = useSchema(id);
  return (
    <Loaded of={schema}>
      {(found) => (
        <div className="stack">
          {groupsOf(found).map(({ path, fields }) => (
            <Card key={path.join('.')} title={path.length === 0 ? id : path.join(' › ')}>
              <div className={styles['fields']}>
                {fields.map((field) => (
                  <ConfigField
                    key={field.path.join('.')}
                    field={field}
                    value={valueAt(content, field.path)}
                    told={
                      field.fallback === undefined ? undefined : t.fallback(JSON.stringify(field.fallback))
                    }
                    onChange={(value) => onChange(withValue(content, field.path, value))}
                  />
                ))}
              </div>
            </Card>
          ))}
        </div>
      )}
    </Loaded>
  );
}

function ConfigField({
  field: { path, property },
  value,
  told,
  onChange,
}: {
  readonly field: Field;
  readonly value: unknown;
  readonly told: string | undefined;
  readonly onChange: (value: unknown) => void;
}) {
  const shown = asWritten(property, value);
  const kind = kindOf(shown);
  const name = path.at(-1) ?? '';
  const hint = [property.description, told].filter((part) => part !== undefined).join(' · ');
  return (
    <div className={kind === 'json' ? styles['wide'] : undefined}>
      <Control
        name={path.join('.')}
        label={name}
        kind={kind}
        property={shown}
        value={value}
        onChange={onChange}
        isReadOnly={false}
        hint={hint === '' ? undefined : hint}
        problem={undefined}
      />
    </div>
  );
}

/** A number or a flag may also be filled in from outside, such as `&{svc.keep.days}`: that is a text. */
function asWritten(property: Property, value: unknown): Property {
  const { enum: values, ...others } = property;
  const types = Array.isArray(others.type) ? others.type : [others.type];
  const isChosen = values !== undefined && (value === undefined || values.includes(value));
  const isText = types.includes('string') && !isChosen && (typeof value === 'string' || types.length > 2);
  return isText ? { ...others, type: 'string' } : property;
}
