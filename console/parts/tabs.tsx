import type { ReactNode } from 'react';
import { Tabs as AriaTabs, Tab, TabList, TabPanel } from 'react-aria-components';

export interface TabPage {
  readonly id: string;
  readonly title: string;
  readonly content: ReactNode;
}

export function Tabs({
  label,
  tabs,
  at,
  onGo,
}: {
  readonly label: string;
  readonly tabs: readonly TabPage[];
  readonly at: string;
  readonly onGo: (id: string) => void;
}) {
  return (
    <AriaTabs selectedKey={at} onSelectionChange={(key) => onGo(String(key))}>
      <TabList aria-label={label} className="tab-list">
        {tabs.map(({ id, title }) => (
          <Tab key={id} id={id} className="tab">
            {title}
          </Tab>
        ))}
      </TabList>
      {tabs.map(({ id, content }) => (
        <TabPanel key={id} id={id} className="tab-panel">
          {content}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}
