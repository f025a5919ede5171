// Uses the clients that OpenAPI Generator makes for Go: `client URL`. Prints the fault of each use, or null.
package main

import (
	"bufio"
	"clients/forms"
	"clients/troupe"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"strings"
	"time"
)

const question = "What is in it?"
const plan = "plan.pdf"

var background = context.Background()
var client, formClient = clientsOf(os.Args[1])

func clientsOf(url string) (*troupe.APIClient, *forms.APIClient) {
	configuration, ofForms := troupe.NewConfiguration(), forms.NewConfiguration()
	configuration.Servers = troupe.ServerConfigurations{{URL: url}}
	ofForms.Servers = forms.ServerConfigurations{{URL: url}}
	return troupe.NewAPIClient(configuration), forms.NewAPIClient(ofForms)
}

func asking(text string) *troupe.RunRequest {
	return troupe.NewRunRequest(troupe.StringAsRunRequestInput(&text))
}

func saysHello(answer interface{ GetText() string }, err error) error {
	if err == nil && answer.GetText() != "Hello." {
		return fmt.Errorf("answered %q", answer.GetText())
	}
	return err
}

func run() error {
	request := asking("Hello?")
	request.SetSessionId("go")
	answer, _, err := client.AgentsAPI.RunAgentAssistant(background).RunRequest(*request).Execute()
	return saysHello(answer, err)
}

func structured() error {
	report, _, err := client.AgentsAPI.RunAgentWeatherReport(background).RunRequest(*asking("Oslo?")).Execute()
	if err == nil && report.Structured.City != "Rain." {
		return fmt.Errorf("answered %v", report.Structured)
	}
	return err
}

func workflow() error {
	// Without this the client sends "null".
	request := client.WorkflowsAPI.RunWorkflowMorningBriefing(background)
	request = request.RunWorkflowMorningBriefingRequest(*troupe.NewRunWorkflowMorningBriefingRequest())
	result, _, err := request.Execute()
	if err == nil && result.Status != "completed" {
		return fmt.Errorf("ended as %q", result.Status)
	}
	return err
}

func file() error {
	bytes, err := os.ReadFile(plan)
	if err != nil {
		return err
	}
	text := troupe.NewTextPart("text", question)
	file := troupe.NewFilePart("file", base64.StdEncoding.EncodeToString(bytes), "application/pdf")
	file.SetFilename(plan)
	parts := []troupe.ContentPart{troupe.TextPartAsContentPart(text), troupe.FilePartAsContentPart(file)}
	request := troupe.NewRunRequest(troupe.ArrayOfContentPartAsRunRequestInput(&parts))
	request.SetSessionId("go-file")
	answer, _, err := client.AgentsAPI.RunAgentAssistant(background).RunRequest(*request).Execute()
	return saysHello(answer, err)
}

func turns() error {
	list, _, err := client.SessionsAPI.ListTurns(background, "go").Execute()
	if err != nil {
		return err
	}
	turn := list.Turns[0]
	said := turn.Messages[len(turn.Messages)-1].Content
	if *turn.Input.String != "Hello?" || *said.String != "Hello." {
		return fmt.Errorf("read %v", turn)
	}
	if age := float64(time.Now().UnixMilli()) - float64(turn.CreatedAt); math.Abs(age) > 5_000 {
		return fmt.Errorf("createdAt is %v milliseconds ago", age)
	}
	return nil
}

func parts() error {
	list, _, err := client.SessionsAPI.ListTurns(background, "go-file").Execute()
	if err != nil {
		return err
	}
	given := *list.Turns[0].Input.ArrayOfTurnInputAnyOfInner
	if given[0].ContentPart.TextPart.Text != question || given[1].PartReference.Stored.Index != 0 {
		return fmt.Errorf("read %v", given)
	}
	return nil
}

func failure() error {
	_, _, err := client.SessionsAPI.ReadSession(background, "nowhere").Execute()
	var failed *troupe.GenericOpenAPIError
	if !errors.As(err, &failed) {
		return fmt.Errorf("returned %v", err)
	}
	if answer, isOurs := failed.Model().(troupe.Error); !isOurs || answer.Error.Code != "not_found" {
		return fmt.Errorf("returned %v", failed.Model())
	}
	return nil
}

func eventsOf(stream io.Reader, read func(kind string)) error {
	lines := bufio.NewScanner(stream)
	for lines.Scan() {
		data, isData := strings.CutPrefix(lines.Text(), "data: ")
		if !isData {
			continue
		}
		var event struct{ Type string }
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			return err
		}
		read(event.Type)
	}
	return lines.Err()
}

func stream() error {
	text, _, err := client.AgentsAPI.StreamAgentAssistant(background).RunRequest(*asking("Hello?")).Execute()
	if err != nil {
		return err
	}
	kinds := []string{}
	err = eventsOf(strings.NewReader(text), func(kind string) { kinds = append(kinds, kind) })
	if err == nil && !reflect.DeepEqual(kinds, []string{"text", "finish"}) {
		return fmt.Errorf("read %v", kinds)
	}
	return err
}

// The body that the generated client returns beside the text has been read from the connection already.
func live() error {
	request := client.AgentsAPI.StreamAgentAssistant(background).RunRequest(*asking("Answer slowly."))
	_, response, err := request.Execute()
	if err != nil {
		return err
	}
	times := map[string]time.Time{}
	err = eventsOf(response.Body, func(kind string) { times[kind] = time.Now() })
	if err == nil && times["finish"].Sub(times["text"]) < 300*time.Millisecond {
		return errors.New("the first event came with the last one")
	}
	return err
}

func formBesideJson() error {
	request := reflect.TypeOf(client.AgentsAPI.RunAgentAssistant(background))
	if _, takesFiles := request.MethodByName("Files"); !takesFiles {
		return errors.New("the request has no method Files")
	}
	return nil
}

func form() error {
	file, err := os.Open(plan)
	if err != nil {
		return err
	}
	request := formClient.AgentsAPI.RunAgentAssistant(background).Input(question).SessionId("go-form")
	answer, _, err := request.Files([]*os.File{file}).Execute()
	return saysHello(answer, err)
}

func faultOf(use func() error) (fault *string) {
	defer func() {
		if panicked := recover(); panicked != nil {
			text := fmt.Sprint("panic: ", panicked)
			fault = &text
		}
	}()
	if err := use(); err != nil {
		text := err.Error()
		return &text
	}
	return nil
}

func main() {
	uses := []struct {
		name string
		use  func() error
	}{
		{"run", run}, {"structured", structured}, {"workflow", workflow}, {"file", file}, {"turns", turns},
		{"parts", parts}, {"error", failure}, {"stream", stream}, {"live", live}, {"formBesideJson", formBesideJson},
		{"form", form},
	}
	faults := map[string]*string{}
	for _, each := range uses {
		faults[each.name] = faultOf(each.use)
	}
	if err := json.NewEncoder(os.Stdout).Encode(faults); err != nil {
		panic(err)
	}
}
