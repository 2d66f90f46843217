/** A process whose letter fails for good, in a version of its own for each form of the letter. */
export function badgeProcess(letter: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:flowable="http://flowable.org/bpmn" targetNamespace="Examples">
  <process id="badge" name="Badge" isExecutable="true">
    <startEvent id="wanted" name="A badge is wanted">
      <extensionElements><flowable:formProperty id="holder" name="For whom" type="string" required="true"/></extensionElements>
    </startEvent>
    <sequenceFlow id="to_print" sourceRef="wanted" targetRef="print"/>
    <userTask id="print" name="Print the badge" flowable:assignee="svc-admin"/>
    <sequenceFlow id="to_letter" sourceRef="print" targetRef="letter"/>
    <scriptTask id="letter" name="Write the letter" scriptFormat="text/javascript" flowable:async="true">
      <extensionElements><flowable:failedJobRetryTimeCycle>R1/PT0S</flowable:failedJobRetryTimeCycle></extensionElements>
      <script><![CDATA[${letter}]]></script>
    </scriptTask>
    <sequenceFlow id="to_end" sourceRef="letter" targetRef="end"/>
    <endEvent id="end" name="Given out"/>
  </process>
</definitions>`;
}
