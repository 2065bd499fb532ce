;;; Action server and client over actionlib_benchmark/Roundtrip. roslisp has none (cl-actionlib
;;; holds messages only), so this is actionlib's protocol over the five topics, as much of it as
;;; goals need that are accepted and finished at once.

(in-package :roslisp-peer)

(defconstant +active+ 1)
(defconstant +succeeded+ 3)
(defparameter *status-period* 0.2 "Seconds; actionlib's 5 Hz.")
(defparameter *status-list-timeout-ns* 5000000000 "How long a finished goal stays in the list.")

(defun action-topic (name)
  (format nil "~a/~a" (peer-kit:job-text "action") name))

(defun header-at (ns)
  (make-instance 'std_msgs-msg:Header :stamp (ros-time ns)))

(defun status-message (goal-id state)
  (make-instance 'actionlib_msgs-msg:GoalStatus :goal_id goal-id :status state :text ""))

;;; The server

(defstruct goal
  id state finished-ns)

(defstruct server
  (lock (sb-thread:make-mutex)) ; also of the publications: roslisp's are not for two threads
  goals ; newest first
  statuses results)

(defun publish-status (server)
  "Under the lock. Forgets the goals that were finished long ago."
  (let ((now (peer-kit:now)))
    (flet ((is-old (goal)
             (and (goal-finished-ns goal) (> (- now (goal-finished-ns goal)) *status-list-timeout-ns*)))
           (to-message (goal)
             (status-message (goal-id goal) (goal-state goal))))
      (setf (server-goals server) (delete-if #'is-old (server-goals server)))
      (roslisp:publish
       (server-statuses server)
       (make-instance 'actionlib_msgs-msg:GoalStatusArray
                      :header (header-at now)
                      :status_list (map 'vector #'to-message (reverse (server-goals server))))))))

(defun publish-result (server goal received-ns)
  (roslisp:publish
   (server-results server)
   (make-instance 'actionlib_benchmark-msg:RoundtripActionResult
                  :header (header-at received-ns)
                  :status (status-message (goal-id goal) (goal-state goal))
                  :result (make-instance 'actionlib_benchmark-msg:RoundtripResult
                                         :received (ros-time received-ns)))))

(defun on-goal (server message)
  (let* ((t2 (peer-kit:now))
         (start (actionlib_benchmark-msg:start (actionlib_benchmark-msg:goal message)))
         (goal (make-goal :id (actionlib_benchmark-msg:goal_id message) :state +active+)))
    (peer-kit:served (nanoseconds start) t2 0)
    (sb-thread:with-mutex ((server-lock server))
      (push goal (server-goals server))
      (publish-status server)
      (setf (goal-state goal) +succeeded+
            (goal-finished-ns goal) (peer-kit:now))
      (publish-result server goal t2)
      (publish-status server))))

(defun serve-goals ()
  (let ((server (make-server
                 :statuses (roslisp:advertise (action-topic "status") "actionlib_msgs/GoalStatusArray"
                                              :latch t)
                 :results (roslisp:advertise (action-topic "result")
                                             "actionlib_benchmark/RoundtripActionResult"))))
    (roslisp:advertise (action-topic "feedback") "actionlib_benchmark/RoundtripActionFeedback")
    (roslisp:subscribe (action-topic "goal") "actionlib_benchmark/RoundtripActionGoal"
                       (lambda (message) (on-goal server message)))
    ;; A goal is over before a request to cancel it can be read.
    (roslisp:subscribe (action-topic "cancel") "actionlib_msgs/GoalID" #'identity)
    (sb-thread:make-thread
     (lambda ()
       (loop while (eq roslisp::*node-status* :running)
             do (sb-thread:with-mutex ((server-lock server)) (publish-status server))
                (sleep *status-period*)))
     :name "action status")
    nil))

;;; The client

(defstruct client
  (lock (sb-thread:make-mutex))
  (tokens (make-hash-table :test #'equal)) ; of the goals that wait for their result, by id
  (next-id 0)
  goals)

(defun take-token (client id)
  (sb-thread:with-mutex ((client-lock client))
    (prog1 (gethash id (client-tokens client))
      (remhash id (client-tokens client)))))

(defun on-result (client message)
  (let* ((t4 (peer-kit:now))
         (status (actionlib_benchmark-msg:status message))
         (id (actionlib_msgs-msg:id (actionlib_msgs-msg:goal_id status)))
         (token (take-token client id)))
    (cond ((null token))
          ((= +succeeded+ (actionlib_msgs-msg:status status))
           (let ((received (actionlib_benchmark-msg:received (actionlib_benchmark-msg:result message))))
             (peer-kit:answered token (nanoseconds received) 0 t4)))
          (t (peer-kit:unanswered token)))))

(defun send-goal (client token t1)
  (let* ((stamp (ros-time t1))
         (id (format nil "~a-~d-~d.~d" (roslisp::caller-id) (incf (client-next-id client))
                     (floor stamp) (mod t1 1000000000))))
    (sb-thread:with-mutex ((client-lock client))
      (setf (gethash id (client-tokens client)) token))
    (roslisp:publish
     (client-goals client)
     (make-instance 'actionlib_benchmark-msg:RoundtripActionGoal
                    :header (header-at t1)
                    :goal_id (make-instance 'actionlib_msgs-msg:GoalID :id id :stamp stamp)
                    :goal (make-instance 'actionlib_benchmark-msg:RoundtripGoal :start stamp)))))

(defun forget-goal (client token)
  (sb-thread:with-mutex ((client-lock client))
    (maphash (lambda (id other)
               (when (= other token) (remhash id (client-tokens client))))
             (client-tokens client))))

(defun subscribe-to-server (client)
  (list (roslisp:subscribe (action-topic "result") "actionlib_benchmark/RoundtripActionResult"
                           (lambda (message) (on-result client message)))
        (roslisp:subscribe (action-topic "status") "actionlib_msgs/GoalStatusArray" #'identity)
        (roslisp:subscribe (action-topic "feedback") "actionlib_benchmark/RoundtripActionFeedback"
                           #'identity)))

(defun use-goals ()
  "It subscribes when the server has subscribed, as make-publisher does."
  (let* ((client (make-client))
         (cancel (roslisp:advertise (action-topic "cancel") "actionlib_msgs/GoalID"))
         (goals (roslisp:advertise (action-topic "goal") "actionlib_benchmark/RoundtripActionGoal"))
         subscribers)
    (setf (client-goals client) goals)
    (list :matched (lambda ()
                     (and (every #'publication-connected-p (list cancel goals))
                          (every #'subscription-connected-p
                                 (or subscribers (setf subscribers (subscribe-to-server client))))))
          :call (lambda (token t1) (send-goal client token t1))
          :forget (lambda (token) (forget-goal client token)))))

(defun make-action ()
  (if (equal (peer-kit:job-text "role") "server") (serve-goals) (use-goals)))
